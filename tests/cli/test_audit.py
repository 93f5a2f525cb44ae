"""``heldout audit``, and the audit inside of other commands."""

from __future__ import annotations

import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from tests.cli.running import call, run

CAPTURE = pytest.CaptureFixture[str]


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Training and test tables with five shared rows, shared patients and mixed dates."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    rng = np.random.default_rng(1)
    values = rng.normal(size=(90, 4))
    truth = np.where(np.arange(90) % 2 == 1, "yes", "no")
    lines = [
        f"r{i},{','.join(map(repr, map(float, row)))},p{i // 3},2020-01-{i % 28 + 1:02d},{y}"
        for i, (row, y) in enumerate(zip(values, truth, strict=True))
    ]
    head = "id,a,b,c,d,patient,date,y"
    Path("train.csv").write_text("\n".join([head, *lines[:60]]) + "\n")
    shared = [line.replace(f"r{i},", f"s{i},", 1) for i, line in enumerate(lines[:5])]
    Path("test.csv").write_text("\n".join([head, *lines[60:], *shared]) + "\n")
    score = 1 / (1 + np.exp(values[:, 0] - 3 * (np.arange(90) % 2)))
    rows = [f"r{i},{y},{s!r}" for i, (y, s) in enumerate(zip(truth, score.tolist(), strict=True))]
    Path("turned.csv").write_text("\n".join(["id,truth,score", *rows]) + "\n")
    return tmp_path


SIDES = (
    "audit",
    "--train",
    "train.csv",
    "--test",
    "test.csv",
    "--target",
    "y",
    "--positive",
    "yes",
)
ROLES = ("--group", "patient", "--time", "date", "--id", "id")


@pytest.mark.usefixtures("tables")
class TestAudit:
    def test_findings_come_grave_first_with_rows_why_and_fix(self, capsys: CAPTURE) -> None:
        done = call(capsys, *SIDES, *ROLES)
        assert done.code == 0
        assert done.out.startswith("Audit of train.csv, test.csv: 3 errors")
        assert done.out.index("ERROR K01") < done.out.index("ERROR K03") < done.out.index("K04")
        assert "test rows 31, 32, 33, 34, 35" in " ".join(done.out.split())
        assert "Not checked" in done.out
        assert "needs predictions" in done.out

    def test_which_class_is_positive_need_not_be_said(self, capsys: CAPTURE) -> None:
        said = call(capsys, *SIDES, *ROLES, "--format", "csv").out
        assert call(capsys, *SIDES[:-2], *ROLES, "--format", "csv").out == said
        done = call(capsys, "audit", "train.csv", "--ignore", "id,patient,date", "--strict")
        assert (done.code, "no findings" in done.out) == (0, True)

    def test_strict_is_3_for_errors_and_0_for_notes(self, capsys: CAPTURE) -> None:
        assert call(capsys, *SIDES, *ROLES, "--strict").code == 3
        ignored = ("--skip", "K01,K03", "--skip", "K04")
        assert call(capsys, *SIDES, *ROLES, "--strict", *ignored).code == 0

    def test_json_is_strict_and_names_rows(self, capsys: CAPTURE) -> None:
        read = json.loads(call(capsys, *SIDES, *ROLES, "--format", "json").out)
        assert list(read) == [
            "heldout",
            "call",
            "clean",
            "findings",
            "checked",
            "unchecked",
            "skipped",
            "left_out",
            "notes",
        ]
        first = read["findings"][0]
        assert (first["code"], first["rows"]) == ("K01", [31, 32, 33, 34, 35])
        assert read["call"]["train"] == "train.csv"
        assert read["clean"] is False

    def test_json_of_findings_keeps_its_fields_and_kinds(self, capsys: CAPTURE) -> None:
        Path("other.csv").write_text(Path("test.csv").read_text().replace("a,b,c,d", "a,b,c,e"))
        arguments = [word.replace("test.csv", "other.csv") for word in (*SIDES, *ROLES)]
        read = json.loads(call(capsys, *arguments, "--format", "json").out)
        kinds = {
            "code": str,
            "title": str,
            "severity": str,
            "where": str,
            "seen": str,
            "rows": list,
            "columns": list,
            "why": str,
            "fix": str,
        }
        for finding in read["findings"]:
            assert {name: type(value) for name, value in finding.items()} == kinds
            assert finding["severity"] in ("error", "warning", "note")
            assert all(type(row) is int and row > 0 for row in finding["rows"])
            assert finding["rows"] or finding["columns"] or finding["where"]
        sides = [f["columns"] for f in read["findings"] if f["code"] == "K18"]
        assert sides == [["d"], ["e"]]
        for one in read["unchecked"]:
            assert list(one) == ["code", "title", "reason", "partial"]
        codes = {*read["checked"], *(one["code"] for one in read["unchecked"])}
        assert len(codes) == 19

    def test_csv_and_markdown_have_the_same_findings(self, capsys: CAPTURE) -> None:
        rows = list(csv.DictReader(StringIO(call(capsys, *SIDES, *ROLES, "--format", "csv").out)))
        assert [row["code"] for row in rows] == ["K01", "K03", "K04"]
        call(capsys, *SIDES, *ROLES, "--output", "audit.md")
        assert "**ERROR K01: test rows that were trained on**" in Path("audit.md").read_text()

    def test_data_with_a_procedure_or_splits(self, capsys: CAPTURE) -> None:
        data = ("audit", "train.csv", "--target", "y", "--positive", "yes", "--id", "id")
        columns = ("--ignore", "date", "--group", "patient")
        parted = call(capsys, *data, *columns, "--procedure", "5-fold ungrouped")
        assert "K03: groups in both training and test rows" in parted.out
        whole = call(capsys, *data, *columns, "--procedure", "5-fold", "--strict")
        assert (whole.code, "no findings" in whole.out) == (0, True)
        call(capsys, "split", *data[1:], "--ignore", "date,patient", "--output", "splits.csv")
        read = call(capsys, *data, *columns, "--splits", "splits.csv")
        assert "K03: groups in both training and test rows" in read.out

    def test_splits_that_share_rows_are_reported(self, capsys: CAPTURE) -> None:
        parts = [(row, "train" if row <= 41 else "test") for row in range(1, 61)] + [(41, "test")]
        lines = [f"{row},1,1,{part}" for row, part in parts]
        Path("splits.csv").write_text("\n".join(["row,repeat,fold,part", *lines]) + "\n")
        data = ("train.csv", "--target", "y", "--ignore", "date,patient,id")
        done = call(capsys, "audit", *data, "--splits", "splits.csv", "--strict")
        assert done.code == 3
        words = " ".join(done.out.split())
        assert "1 row (row 41) is in both the training and the test part" in words

    def test_standard_input_is_read_as_a_file_is(self) -> None:
        sides = ("audit", "--train", "train.csv", "--target", "y", *ROLES, "--format", "csv")
        piped = run(*sides, "--test", "-", given=Path("test.csv").read_text())
        assert (piped.code, piped.out) == (0, run(*sides, "--test", "test.csv").out)

    def test_predictions_of_training_rows_are_found_by_id(self, capsys: CAPTURE) -> None:
        train = ("--train", "train.csv", "--target", "y", "--id", "id", "--positive", "yes")
        done = call(capsys, "audit", *train, "--predictions", "turned.csv", "--format", "json")
        first = json.loads(done.out)["findings"][0]
        assert (first["code"], "60 of 90 ids" in first["seen"]) == ("K01", True)

    def test_score_says_its_findings_after_the_result(self, capsys: CAPTURE) -> None:
        turned = ("score", "turned.csv", "--positive", "no", "--measure", "auc")
        done = call(capsys, *turned)
        assert done.code == 0
        assert "audit: warning K13 AUC below 0.5" in done.err
        assert "audit" not in done.out
        assert "audit:" not in call(capsys, *turned, "--no-audit").err
        assert "audit:" not in call(capsys, *turned, "--quiet").err
        read = json.loads(call(capsys, *turned, "--format", "json").out)
        assert [finding["code"] for finding in read["audit"]] == ["K13"]
        assert "audit" not in json.loads(
            call(capsys, *turned, "--format", "json", "--no-audit").out
        )

    def test_threshold_and_model_that_are_chosen_here_are_said(self, capsys: CAPTURE) -> None:
        scored = ("score", "turned.csv", "--positive", "yes", "--measure", "auc")
        assert "K15 chosen on the test rows: the threshold" in (
            call(capsys, *scored, "--best", "youden").err
        )
        models = ("score", "example:models", "--positive", "spam", "--measure", "auc")
        assert "3 models are ranked by auc" in call(capsys, *models, "--rank", "auc").err

    def test_evaluate_and_compare_say_their_findings(self, capsys: CAPTURE) -> None:
        data = ("train.csv", "--target", "y", "--positive", "yes", "--id", "id", "--ignore", "date")
        how = ("--procedure", "3-fold ungrouped", "--group", "patient", "--models", "lda,nb")
        done = call(capsys, "evaluate", *data, *how, "--no-intervals")
        assert "audit: error K03 groups in both training and test rows" in done.err
        read = call(capsys, "evaluate", *data, *how, "--no-intervals", "--format", "json").out
        assert "K03" in [finding["code"] for finding in json.loads(read)["audit"]]
        chosen = ("--model", "knn", "--grid", "n_neighbors=1..3", *how[:4], "--format", "json")
        read = json.loads(call(capsys, "select", *data, *chosen).out)
        assert "K03" in [finding["code"] for finding in read["audit"]]
        Path("other.csv").write_text(Path("turned.csv").read_text())
        compared = ("compare", "turned.csv", "other.csv", "--positive", "no", "--measure", "auc")
        assert "audit: warning K13" in call(capsys, *compared).err
        read = call(capsys, *compared, "--format", "json").out
        assert {finding["code"] for finding in json.loads(read)["audit"]} == {"K13"}

    def test_score_counts_looks_only_where_a_store_is(self, capsys: CAPTURE) -> None:
        lines = Path("turned.csv").read_text().splitlines()
        data = ("train.csv", "--target", "y", "--positive", "yes", "--id", "id", "--ignore", "date")
        for round_ in ("without", "with"):
            for number in range(12):
                rows = [f"{line}{number}" for line in lines[1:]]
                Path(f"m{number}.csv").write_text("\n".join([lines[0], *rows]) + "\n")
            files = [f"m{number}.csv" for number in range(12)]
            done = call(capsys, "score", *files, "--positive", "yes", "--measure", "accuracy")
            assert ("K16" in done.err) == (round_ == "with")
            assert Path(".heldout").exists() == (round_ == "with")
            call(capsys, "evaluate", *data, "--procedure", "3-fold", "--models", "majority")


def test_standard_input_is_called_so(
    capsys: CAPTURE, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = "\n".join(["x,y", *(f"{i % 7},{i % 2}" for i in range(40))]) + "\n"
    (path := tmp_path / "in.csv").write_text(rows)
    with path.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        done = call(capsys, "audit", "-", "--target", "y", "--quiet")
    assert done.out.startswith("Audit of standard input: ")


def test_every_check_is_listed_and_explained(capsys: CAPTURE) -> None:
    listed = call(capsys, "audit", "--list")
    codes = [f"K{number:02d}" for number in range(1, 20)]
    assert all(code in listed.out for code in codes)
    explained = call(capsys, "audit", "--explain", "k05")
    assert "K05: a single column predicts the target" in explained.out
    read = json.loads(call(capsys, "audit", "--list", "--format", "json").out)
    assert [check["code"] for check in read["checks"]] == codes


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give --train and --test"),
        (("--train", "a.csv"), "--test is missing"),
        (("--train", "a.csv", "--test", "b.csv", "--procedure", "5-fold"), "describe DATA"),
        (("iris", "--procedure", "5-fold", "--splits", "s.csv"), "exclude each other"),
        (("iris", "--train", "a.csv", "--test", "b.csv"), "give one or the other"),
        (("iris", "--skip", "K77"), "no check is called 'K77'"),
        (("--explain", "K00"), "no check is called 'K00'"),
        (("nowhere.csv",), "nowhere.csv"),
        (("iris", "--output", "audit.pdf"), "cannot tell the format"),
    ],
)
def test_bad_usage_is_2(capsys: CAPTURE, arguments: tuple[str, ...], said: str) -> None:
    done = call(capsys, "audit", *arguments)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
