"""Probabilities whose calibration R's rms and ResourceSelection, Stata and verification judged."""

from __future__ import annotations

from pathlib import Path

import pytest

import heldout
from tests.reference.cases import Case, Family, Given, Otherwise, judge, numbers

INTERVAL = "an interval or a standard error, which is not a measure"

#: what rms::val.prob prints, as heldout calls it
VAL_PROB = {
    "Dxy": "dxy",
    "C (ROC)": "c_statistic",
    "R2": "nagelkerke_r2",
    "D": "discrimination_index",
    "D:Chi-sq": "discrimination_chi_square",
    "U": "unreliability_index",
    "U:Chi-sq": "unreliability_chi_square",
    "U:p": "unreliability_p_value",
    "Q": "quality_index",
    "Brier": "brier",
    "Intercept": "calibration_intercept",
    "Slope": "calibration_slope",
    "Emax": "emax[span=0.6666666666666666]",
    "E90": "e90[span=0.6666666666666666]",
    "Eavg": "eavg[span=0.6666666666666666]",
    "S:z": "spiegelhalter_z",
    "S:p": "spiegelhalter_p_value",
}
SAME = (
    "calibration_in_the_large",
    "brier",
    "brier_skill",
    "spiegelhalter_z",
    "spiegelhalter_p",
)


def card_of(case: Case) -> heldout.Scorecard:
    """The probabilities of a case, which keep their names y and p."""
    if case.folder.name == "calibration_two_class":
        source = case.path("../yardstick_two_class/two_class_example.csv")
        how = {"truth": "truth", "score": "Class1", "positive": "Class1"}
    else:
        file = {"hoslem_doc": "hoslem.csv", "lbw_logistic": "lbw.csv"}[case.folder.name]
        source, how = case.path(file), {"truth": "y", "score": "p"}
    return judge(heldout.read_predictions(source, **how))


def calibration(case: Case) -> Given:
    card = card_of(case)
    for theirs, ours in VAL_PROB.items():
        yield f"val.prob.{theirs}", card[ours].value
    for name in SAME:
        yield name, card[name].value
    line = [card[f"calibration_{part}"].value for part in ("intercept", "slope")]
    yield "calibration_intercept_slope_joint", line
    yield "brier_null", card["uncertainty"].value
    for groups in (5, 10):
        name = f"hosmer_lemeshow_g{groups}"
        yield f"{name}.chisq", card[f"hosmer_lemeshow[groups={groups}]"].value
        yield f"{name}.p", card[f"hosmer_lemeshow_p_value[groups={groups}, df=g-2]"].value
    yield "hosmer_lemeshow_g10_p_new_data_df10", card["hosmer_lemeshow_p_value"].value


def birth_weight(case: Case) -> Given:
    yield from calibration(case)
    card = card_of(case)
    yield "roc_auc", card["roc_auc"].value
    yield "log_loss", card["log_loss"].value
    yield "deviance", card["deviance_of_probabilities"].value
    yield "logLik", -card["log_score"].value
    for theirs, cut in (("equal_count", "equal count"), ("stata", "stata")):
        name = f"hosmer_lemeshow_{theirs}_groups"
        yield f"{name}.chisq", card[f"hosmer_lemeshow[cut={cut}]"].value
        yield f"{name}.p", card[f"hosmer_lemeshow_p_value[cut={cut}, df=g-2]"].value


def weather(case: Case) -> Given:
    """Forecasts of rain, of which there are thirteen different ones."""
    card = judge(heldout.read_predictions(case.path("forecasts.csv"), truth="y", score="p"))
    yield "distinct.bs", card["brier"].value
    yield "distinct.ss", card["brier_skill"].value
    yield "distinct.bs.baseline", card["uncertainty"].value
    yield "distinct.bs.reliability", card["reliability"].value
    yield "distinct.bs.resol", card["resolution"].value
    yield "distinct.bs.uncert", card["uncertainty"].value
    yield "ece_distinct_values", card["ece[bins=0]"].value
    yield "spiegelhalter_z", card["spiegelhalter_z"].value
    yield "spiegelhalter_p", card["spiegelhalter_p"].value
    binned = card["reliability[bins=10, midpoint]"].value
    resolved, uncertain = card["resolution[bins=10]"].value, card["uncertainty"].value
    yield "bins10_midpoint.bs.reliability", binned
    yield "bins10_midpoint.bs.resol", resolved
    yield "bins10_midpoint.bs.uncert", uncertain
    yield "bins10_midpoint.bs.baseline", uncertain
    # verification judges the forecasts as rounded to the middle of their bin
    yield "bins10_midpoint.bs", binned - resolved + uncertain
    yield "bins10_midpoint.ss", (resolved - binned) / uncertain
    columns = case.columns("forecasts.csv")
    sliced = heldout.read_predictions(
        {"y": [int(y) for y in columns["y"]], "p": numbers(columns["p"]), "said": columns["p"]},
        truth="y",
        score="p",
        by="said",
    )
    parts = [r for r in judge(sliced).results(("prevalence", "row_count")) if r.slice]
    parts.sort(key=lambda r: float(r.slice.removeprefix("said=")))
    shares = [r for r in parts if r.measure == "prevalence"]
    rows = [r.value for r in parts if r.measure == "row_count"]
    yield "distinct.p", [float(r.slice.removeprefix("said=")) for r in shares]
    yield "distinct.obs_freq", [r.value for r in shares]
    yield "distinct.fraction", [n / sum(rows) for n in rows]


P = "D:p is below the smallest number R prints, and null in the file: heldout gives D:Chi-sq alone"
FREEDOM = "degrees of freedom are stated by df=g or df=g-2, and are no measure"
GROUPS = "the groups behind the statistic are a table, not a measure"
COMMON = {
    "val.prob.D:p": P,
    "calibration_in_the_large_se": INTERVAL,
    "calibration_slope_se": INTERVAL,
    "hosmer_lemeshow_g5.df": FREEDOM,
    "hosmer_lemeshow_g10.df": FREEDOM,
    "hosmer_lemeshow_g10_observed": GROUPS,
    "hosmer_lemeshow_g10_expected": GROUPS,
}
BINNED = "rms counts pairs of binned probabilities; pROC and scikit-learn agree with heldout"
EARLY = "rms stops in the eighth digit; the likelihood is flat to 1e-14 where heldout stops"
PATTERNS = "a test over patterns of covariates, which are not in a table of predictions"

FAMILY = Family(
    {
        "calibration_two_class": calibration,
        "hoslem_doc": calibration,
        "lbw_logistic": birth_weight,
        "verification_brier": weather,
    },
    {
        "calibration_two_class": COMMON
        | {
            "val.prob.C (ROC)": Otherwise(0.9393138573899673, BINNED),
            "val.prob.Dxy": Otherwise(0.8786277147799346, BINNED),
            "val.prob.Slope": Otherwise(0.7624142155557397, EARLY),
        },
        "hoslem_doc": COMMON
        | {
            "val.prob.C (ROC)": Otherwise(0.6640576230492197, BINNED),
            "val.prob.Dxy": Otherwise(0.3281152460984393, BINNED),
        },
        "lbw_logistic": COMMON
        | {"val.prob.Slope": Otherwise(1.0000000013465393, EARLY)}
        | {"delong_ci95": INTERVAL}
        | {f"hosmer_lemeshow_{cut}_groups.df": FREEDOM for cut in ("equal_count", "stata")}
        | {
            f"hosmer_lemeshow_stata_groups_obs_exp_n.{part}": GROUPS
            for part in ("observed", "expected", "n")
        }
        | {f"pearson_gof_covariate_patterns.{p}": PATTERNS for p in ("patterns", "chisq", "df")},
    },
)


@pytest.mark.parametrize("name", FAMILY.given)
def test_calibration_is_judged_as_others_judge_it(reference: Path, name: str) -> None:
    assert FAMILY.account(reference, name).faults == []
