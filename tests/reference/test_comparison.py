"""Comparisons of models that papers, R's scmamp, mlxtend, baycomp and Weka have answered."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heldout.comparison.over_sets.bayesian import bayesian_sign, bayesian_signed_rank
from heldout.comparison.over_sets.post_hoc import (
    critical_difference,
    rank_differences,
    rank_error,
)
from heldout.comparison.over_sets.ranks import (
    aligned_ranks,
    average_ranks,
    friedman,
    iman_davenport,
    quade,
)
from heldout.comparison.over_sets.signed_ranks import wilcoxon
from heldout.comparison.posterior import correlated_t
from heldout.comparison.share_tests import cochran_q, mcnemar
from heldout.comparison.split_tests import (
    alpaydin_f,
    corrected_t,
    dietterich_t,
    plain_t,
    split_error,
)
from heldout.uncertainty.cross_validation import split_freedom
from tests.reference.cases import Case, Family, Given, Otherwise, numbers

QUANTILE = "a quantile of F, which is no comparison"
R_RANGE = "R's qtukey stops at a coarse tolerance; integration to 1e-14 gives heldout's value"
NO_TIES = "scmamp's constant holds without ties; R's quade.test counts them, as heldout does"
NOISE = "float noise breaks ties in R's differences from the mean; heldout rounds first"


def table_of(case: Case, file: str) -> tuple[list[str], Any]:
    columns = case.columns(file)
    names = list(columns)[1:]
    return names, np.column_stack([numbers(columns[name]) for name in names])


def demsar(case: Case) -> Given:
    names, paper = table_of(case, "ranks_paper.csv")
    # ranks are values of which the smaller is the better
    mean = average_ranks(-paper)
    sets = len(paper)
    for suffix in ("", "_exact"):
        yield f"paper.avg_ranks{suffix}", mean
        yield f"paper.friedman_chi2{suffix}", friedman(paper, ties=False).statistic
        yield f"paper.iman_davenport_F{suffix}", iman_davenport(paper).statistic
    yield "paper.friedman_p", friedman(paper, ties=False).p_value
    yield "paper.iman_davenport_p", iman_davenport(paper).p_value
    for level, name in ((0.95, "0.05"), (0.9, "0.10")):
        difference = critical_difference(4, sets, level=level)
        yield f"paper.nemenyi_CD_{name}", difference
        yield f"nemenyi_CD_exact_{float(name)}", difference
        against = critical_difference(4, sets, level=level, against_control=True)
        yield f"bonferroni_dunn_CD_{name}", against
        quantiles = [
            critical_difference(k, 1, level=level) / rank_error(k, 1) for k in range(2, 11)
        ]
        yield f"nemenyi_q_{name}_k2_10", quantiles
        if name == "0.05":
            yield f"nemenyi_q_{name}_k2_10_exact", quantiles
            dunn = [
                critical_difference(k, 1, level=level, against_control=True) / rank_error(k, 1)
                for k in range(2, 11)
            ]
            yield f"bonferroni_dunn_q_{name}_k2_10_exact", dunn
    yield "posthoc_SE", rank_error(4, sets)
    for correction, name in (("none", "p"), ("holm", "p_holm"), ("hochberg", "p_hochberg")):
        for pair in rank_differences(mean, sets, correction=correction, control=0):
            if name == "p":
                yield f"posthoc_z_vs_C4.5.{names[pair.second]}", pair.z
            yield f"posthoc_{name}_vs_C4.5.{names[pair.second]}", pair.corrected
    yield from printed(case)


def printed(case: Case) -> Given:
    names, table = table_of(case, "auc.csv")
    yield "printed_data.avg_ranks", average_ranks(table)
    yield "printed_data.friedman_chi2_no_tie_correction", friedman(table, ties=False).statistic
    yield "printed_data.iman_davenport_F_no_tie_correction", iman_davenport(table).statistic
    yield "printed_data.friedman_chi2_tie_corrected", friedman(table).statistic
    yield "printed_data.friedman_p_tie_corrected", friedman(table).p_value
    yield "printed_data.quade_F", quade(table).statistic
    yield "printed_data.quade_p", quade(table).p_value
    first, second = table[:, names.index("C4.5")], table[:, names.index("C4.5+m")]
    found, sets = wilcoxon(second, first), len(first)
    yield "wilcoxon_C4.5_vs_C4.5+m.Rplus", found.statistic
    yield "wilcoxon_C4.5_vs_C4.5+m.Rminus", found.mirrored().statistic
    z = (found.mirrored().statistic - sets * (sets + 1) / 4) / (
        sets * (sets + 1) * (2 * sets + 1) / 24
    ) ** 0.5
    yield "wilcoxon_C4.5_vs_C4.5+m.z", z
    differs = first != second
    dropped = wilcoxon(second[differs], first[differs])
    yield "wilcoxon_C4.5_vs_C4.5+m.R_default_V_zeros_dropped", dropped.statistic


def garcia(case: Case) -> Given:
    names, table = table_of(case, "accuracy.csv")
    mean = average_ranks(table)
    for name, rank in zip(names, mean, strict=True):
        yield f"avg_ranks.{name}", rank
    for ties, word in ((False, "no_tie_correction"), (True, "tie_corrected")):
        found = friedman(table, ties=ties)
        yield f"friedman_chi2_{word}", found.statistic
        yield f"friedman_p_{word}", found.p_value
    yield "iman_davenport_F", iman_davenport(table).statistic
    yield "iman_davenport_p", iman_davenport(table).p_value
    yield "nemenyi_CD_0.05", critical_difference(len(names), len(table))
    yield "quade_F", quade(table).statistic
    yield "friedman_aligned_ranks_T", aligned_ranks(table).statistic
    yield "friedman_aligned_ranks_p", aligned_ranks(table).p_value
    for ours, theirs in (
        ("none", ""),
        ("holm", "_holm"),
        ("bonferroni", "_bonferroni"),
        ("nemenyi", "_nemenyi_tukey"),
        ("shaffer", "_shaffer"),
        ("bergmann_hommel", "_bergmann_hommel"),
    ):
        for pair in rank_differences(mean, len(table), correction=ours):
            versus = f"{names[pair.first]} vs {names[pair.second]}"
            if ours == "none":
                yield f"posthoc_z.{versus}", pair.z
            yield f"posthoc_p{theirs}.{versus}", pair.corrected


def mlxtend(case: Case) -> Given:
    columns = {name: numbers(values) for name, values in case.columns("three_models.csv").items()}
    right = np.column_stack([columns[f"m{i}"] == columns["y_true"] for i in (1, 2, 3)])
    yield "cochran_q", cochran_q(right).statistic
    yield "cochran_p", cochran_q(right).p_value
    for i, j in combinations(range(3), 2):
        yield from discordant(f"m{i + 1}_m{j + 1}", right[:, i], right[:, j])
    yield "mcnemar_doc.table", [[101, 121], [59, 33]]
    for name, kind in (("cc", "corrected"), ("nocc", "normal")):
        found = mcnemar(121, 59, kind=kind)
        yield f"mcnemar_doc.{name}", [found.statistic**2, found.p_value]
    yield "mcnemar_doc.exact_p", mcnemar(121, 59).p_value
    toy = case.inputs("mcnemar_table.toy")
    truth = np.array(toy["y"])
    yield from discordant("toy", np.array(toy["m1"]) == truth, np.array(toy["m2"]) == truth)
    for name in ("iris_5x2", "iris_5x2_b"):
        table = np.array(case.answers[f"{name}.differences"].value)
        yield f"{name}.differences", table
        yield f"{name}.dietterich_t", dietterich_t(table)[1].statistic
        yield f"{name}.dietterich_p", dietterich_t(table)[1].p_value
        yield f"{name}.alpaydin_F", alpaydin_f(table)[1].statistic
        yield f"{name}.alpaydin_p", alpaydin_f(table)[1].p_value
    folds = np.array(case.answers["iris_kfold10.differences"].value)
    yield "iris_kfold10.differences", folds
    yield "iris_kfold10.t_uncorrected", plain_t(folds)[1].statistic
    yield "iris_kfold10.p_uncorrected", plain_t(folds)[1].p_value
    yield "iris_kfold10.nadeau_bengio_t", corrected_t(folds, 1 / 9)[1].statistic
    yield "iris_kfold10.nadeau_bengio_p", corrected_t(folds, 1 / 9)[1].p_value
    splits = np.array(case.answers["iris_resampled30.differences"].value)
    yield "iris_resampled30.differences", splits
    yield "iris_resampled30.t_uncorrected", plain_t(splits)[1].statistic


def discordant(name: str, first: Any, second: Any) -> Given:
    only = int((first & ~second).sum()), int((second & ~first).sum())
    yield (
        f"mcnemar_table.{name}",
        [
            [int((first & second).sum()), only[0]],
            [only[1], int((~first & ~second).sum())],
        ],
    )
    if name == "toy":
        return
    for kind, word in (("corrected", "cc"), ("normal", "nocc")):
        found = mcnemar(*only, kind=kind)
        yield f"mcnemar_{word}.{name}", [found.statistic**2, found.p_value]
    yield f"mcnemar_exact_p.{name}", mcnemar(*only).p_value


def by_hand(case: Case) -> Given:
    for name, runs in (("n3_k3", 1), ("n4_runs2", 2), ("zero_variance", 1)):
        start = f"hand.correlated.{name}"
        given = case.inputs(start)
        differences = np.subtract(given["y"], given["x"])
        share = 1 / (len(differences) / runs - 1)
        yield f"{start}.mean", float(differences.mean())
        yield f"{start}.var", float(split_error(differences, share)) ** 2
        yield f"{start}.df", split_freedom(len(differences), len(differences))


def baycomp(case: Case) -> Given:
    yield from by_hand(case)
    columns = case.columns("accuracies.csv")
    scores = np.column_stack([numbers(columns[f"s{i}"]) for i in range(1, 101)])
    rows = zip(columns["classifier"], columns["dataset"], strict=True)
    values = dict(zip(rows, scores, strict=True))
    sets = list(dict.fromkeys(columns["dataset"]))
    asked = {name.split(".")[0] for name in case.answers} & set(sets)
    for name in sorted(asked):
        for other in ("j48", "aode", "hnb"):
            yield from against_bayes(
                case, f"{name}.nbc_vs_{other}", values["nbc", name], values[other, name]
            )
    for other in ("j48", "aode"):
        first = np.array([values["nbc", name].mean() for name in sets])
        second = np.array([values[other, name].mean() for name in sets])
        start = f"multiple.nbc_vs_{other}"
        for word, test in (("signedrank", bayesian_signed_rank), ("sign", bayesian_sign)):
            found = test(first - second, 1.0)
            yield (
                f"{start}.{word}_rope1",
                [found.first_better, found.equivalent, found.second_better],
            )
        differs = first != second
        ranked = wilcoxon(first[differs], second[differs])
        yield f"{start}.wilcoxon_T", min(ranked.statistic, ranked.mirrored().statistic)
    models = ["nbc", "aode", "hnb", "j48", "j48gr"]
    table = np.array([[values[model, name].mean() for model in models] for name in sets])
    yield "multiple.friedman_tie_corrected", friedman(table).statistic
    yield "multiple.friedman_p", friedman(table).p_value
    for model, rank in zip(models, average_ranks(table), strict=True):
        yield f"multiple.avg_ranks.{model}", rank


def against_bayes(case: Case, start: str, first: Any, second: Any) -> Given:
    """Baycomp takes second minus first; its left is that the first is better."""
    differences = second - first
    found = corrected_t(differences, 1 / 9)[1]
    mean = float(differences.mean())
    if f"{start}.mean_diff" in case.answers:
        yield f"{start}.mean_diff", mean
        yield f"{start}.corrected_var", (mean / found.statistic) ** 2
        yield f"{start}.nadeau_bengio_t", found.statistic
        yield f"{start}.nadeau_bengio_p_two_sided", found.p_value
        none, one = correlated_t(-differences, 1 / 9), correlated_t(-differences, 1 / 9, 1.0)
        yield f"{start}.probs_rope0", [none.first_better, none.second_better]
        yield f"{start}.probs_rope1", [one.first_better, one.equivalent, one.second_better]
    if f"{start}.weka_corrected_p" in case.answers:
        yield f"{start}.weka_corrected_p", found.p_value
        yield f"{start}.weka_uncorrected_p", plain_t(differences)[1].p_value
        sign = 0 if found.p_value > 0.05 else int(np.sign(-mean))
        yield f"{start}.weka_significance_flag", sign


COUNTED = "a normal approximation; heldout counts every sign"
POOLED = "heldout takes the error under no difference"
NO_LOONEY = "not offered: Cochran's Q asks the same"

FAMILY = Family(
    {
        "baycomp": baycomp,
        "demsar2006": demsar,
        "garcia_herrera_2008": garcia,
        "garcia_herrera_2010": garcia,
        "mlxtend_tests": mlxtend,
    },
    {
        "baycomp": {f"multiple.nbc_vs_{other}.wilcoxon_p": COUNTED for other in ("j48", "aode")},
        "demsar2006": {
            "nemenyi_CD_exact_0.05": Otherwise(1.2535591471176055, R_RANGE),
            "wilcoxon_C4.5_vs_C4.5+m.R_p_zeros_dropped_nocc": COUNTED,
            "bonferroni_dunn_q_0.05_k2_10": "quoted from memory; the exact values are checked",
            "paper.F_crit_3_39_0.05": QUANTILE,
            "F_crit_3_39_0.05_exact": QUANTILE,
        },
        "garcia_herrera_2008": {
            "nemenyi_CD_0.05": Otherwise(1.1136092236789705, R_RANGE),
            "quade_F": Otherwise(10.943404105520097, NO_TIES),
            "friedman_aligned_ranks_T": Otherwise(41.728377858160734, NOISE),
        },
        "garcia_herrera_2010": {
            "nemenyi_CD_0.05": Otherwise(0.9574216132951187, R_RANGE),
            "quade_F": Otherwise(11.767101928445534, NO_TIES),
            "friedman_aligned_ranks_T": Otherwise(22.267108513409212, NOISE),
            "friedman_aligned_ranks_p": Otherwise(5.739364938349189e-05, NOISE),
        },
        "mlxtend_tests": {
            "two_proportion_z.m1_m2": POOLED,
            "two_proportion_p_one_sided.m1_m2": POOLED,
            "looney_F": NO_LOONEY,
            "looney_F_p": NO_LOONEY,
            "mcnemar_cc.m2_m3": Otherwise(
                [0.0, 1.0], "equal counts are no evidence; R corrects only where they differ"
            ),
        },
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_comparisons_are_those_of_other_tools(reference: Path, name: str) -> None:
    account = FAMILY.account(reference, name)
    assert not account.faults, "\n".join(account.faults)
    assert account.checked
