"""``heldout select``: a grid and data in; the choice, estimates, files and charts out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import call

ONE = ("--model", "knn", "--grid", "n_neighbors=1")
OWN = ("--model", "sklearn.linear_model:RidgeClassifier", "--grid", "alpha=1")
FAST = ("--procedure", "3-fold", "--no-store", "--quiet")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs are stored in the current folder: each test has its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HELDOUT_STORE", raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def test_a_grid_gives_a_choice_and_an_honest_estimate(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    asked = ("select", "iris", "--model", "knn", "--grid", "n_neighbors=1..10")
    done = call(capsys, *asked, "--measure", "accuracy", "--plot", "parameter.png")
    assert done.code == 0
    assert "Chosen: knn[n_neighbors=" in done.out
    assert "optimistic: the same value was used to choose" in done.out
    assert "bias-corrected" in done.out
    assert (folder / "parameter.png").is_file()
    assert (folder / ".heldout").is_dir()
    assert "exact cross-validation without refitting" in done.err


TWO = ("--model", "knn,tree", "--grid", "knn: n_neighbors=1,3", "--grid", "tree: max_depth=2,3")


def test_heat_of_parameters_that_no_model_has_both_of_is_refused_before_the_fits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(*_: object, **__: object) -> None:
        raise AssertionError("something was fitted")

    monkeypatch.setattr("heldout.selection.select.selected", fit)
    done = call(capsys, "select", "iris", *TWO, *FAST, "--plot", "heat=h.png")
    assert done.code == 2
    assert "no setting has both n_neighbors and max_depth" in done.err


def test_chart_that_fails_after_the_fits_costs_neither_table_nor_model(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    pytest.importorskip("skops")
    more = ("--plot", "heat[C, gamma]=h.png", "--plot", "parameter=p.png", "--save", "m.skops")
    grid = ("--model", "svm,knn", "--grid", "svm: C=1e-9,1e-8", "--grid", "svm: gamma=1e-9,1e-8",
            "--grid", "knn: n_neighbors=5")  # fmt: skip
    done = call(capsys, "select", "iris", *grid, *FAST, *more)
    assert done.code == 2
    assert "Chosen: knn" in done.out
    assert "h.png is not drawn: the chosen setting knn" in done.err
    assert sorted(path.name for path in folder.iterdir()) == ["m.skops", "p.png"]


def test_all_charts_go_into_a_folder(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    grid = ("--model", "knn", "--grid", "n_neighbors=1,3", "--grid", "weights=uniform,distance")
    done = call(capsys, "select", "iris", *grid, *FAST, "--plot", "all=charts")
    assert done.code == 0, done.err
    drawn = sorted(path.name for path in (folder / "charts").iterdir())
    assert drawn == ["heat.png", "learning.png", "parameter.png"]


def test_nested_shows_choices_and_optimism(capsys: pytest.CaptureFixture[str]) -> None:
    done = call(
        capsys, "select", "wdbc", "--positive", "malignant", "--model", "svm", "--grid",
        "C=log(0.1,10,2)", "--grid", "kernel=linear,rbf", "--measure", "log_loss",
        "--nested", "2x2-fold", "--no-store",
    )  # fmt: skip
    assert done.code == 0
    chosen = "How often each setting was chosen (outer 2-fold, inner 2-fold)"
    for word in ("nested", "optimism", chosen):
        assert word in done.out
    assert "probabilities" in done.err or "no probabilities" in done.err


def test_json_holds_everything_and_the_call(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("select", "iris", "--model", "tree", "--grid", "max_depth=1,2", *FAST)
    document = json.loads(call(capsys, *asked, "--format", "json").out)
    assert document["call"]["command"] == "select"
    assert document["call"]["grid"] == ["max_depth=1,2"]
    assert document["run"]["fitted"] == 6
    assert {one["setting"] for one in document["settings"]} == {
        "tree[max_depth=1]",
        "tree[max_depth=2]",
    }
    table = call(capsys, *asked, "--format", "csv").out.splitlines()
    assert len(table) == 3


def test_a_search_is_resumed_from_the_store(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("select", "iris", "--model", "tree", "--procedure", "3-fold", "--format", "json")
    call(capsys, *asked, "--grid", "max_depth=1..3")
    again = json.loads(call(capsys, *asked, "--grid", "max_depth=1..4").out)
    assert (again["run"]["fitted"], again["run"]["reused"]) == (3, 9)


def test_a_random_search_and_a_race_and_one_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ("select", "iris", "--model", "tree", "--no-store")
    drawn = call(
        capsys, *asked, "--grid", "max_depth=int(1,9)", "--grid", "min_samples_leaf=logint(1,40)",
        "--random", "6", "--procedure", "2-fold", "--format", "csv",
    )  # fmt: skip
    assert len(drawn.out.splitlines()) == 7
    raced = call(capsys, *asked, "--grid", "max_depth=1,3", "--procedure", "8-fold", "--race")
    assert "tree[max_depth=1] dropped after" in raced.err
    simple = call(
        capsys,
        *asked,
        "--grid",
        "max_depth=2..6",
        "--rule",
        "one-se",
        "--simpler",
        "max_depth:down",
    )
    assert "smaller max_depth" in simple.out


def test_a_model_is_saved_only_when_asked(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    pytest.importorskip("skops.io")
    asked = ("select", "iris", "--model", "tree", "--grid", "max_depth=1,2", *FAST)
    assert call(capsys, *asked).code == 0
    assert not list(folder.iterdir())
    done = call(capsys, *asked, "--save", "model.skops")
    assert (done.code, done.err) == (0, "")
    assert [one.name for one in folder.iterdir()] == ["model.skops"]


def test_after_saving_it_is_said_how_the_model_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("skops.io")
    asked = ("select", "iris", "--model", "lda", "--grid", "tol=0.1,0.01", *FAST[:-1])
    done = call(capsys, *asked, "--save", "model.skops")
    assert "saved; in Python: heldout.load_model('model.skops')" in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model", "knn", "--grid", "n_neighbours=1..3"), "did you mean n_neighbors"),
        (("--model", "knn"), "the grid is empty"),
        (("--model", "knn,lda", "--grid", ""), "--grid '' is empty"),
        (("--model", "knn,knn"), "--model names knn more than once, which leaves nothing to"),
        (("--model", "knn", "--model", "knn"), "or name another model"),
        (("--grid", "n_neighbors=1"), "give the model"),
        (("--model", "knn", "--grid", "n_neighbors=1..1000000"), "10,000,000 fits; say --yes"),
        ((*OWN, "--measure", "log_loss"), "needs probabilities"),
        (("--model", "knn", "--grid", "n_neighbors=1", "--measure", "acuracy"), "accuracy"),
        (("--model", "knn", "--grid", "n_neighbors=int(1,9)"), "--random 50"),
        (("--model", "knn", "--grid", "n_neighbors=0"), "n_neighbors"),
        (("--model", "knn", "--grid", "k"), "is not a parameter with values"),
        (("--model", "knn", "--grid", "n_neighbors=1", "--plot", "rok.png"), "no chart"),
        ((*ONE, "--plot", "training.png"), "--training-error"),
        ((*ONE, "--save", "model.pkl"), "must end in .skops"),
        (("--model", "svm", "--grid", "coef0=1,2", "--rule", "one-se"), "--simpler"),
        (("--model", "knn", "--grid", "n_neighbors=1", "--simpler", "x:up"), "--rule one-se"),
        (("--model", "knn", "--grid", "n_neighbors=1", "--procedure", "holdout 50:20:30",
          "--nested", "3x3-fold"), "give one of them"),
        ((*ONE, "--measure", "precision"), "precision_macro"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_in_a_line(
    capsys: pytest.CaptureFixture[str], options: tuple[str, ...], message: str
) -> None:
    done = call(capsys, "select", "iris", "--no-store", *options)
    assert done.code == 2
    assert message in done.err
    assert "Traceback" not in done.err


def test_inner_folds_that_a_small_class_cannot_have_are_refused(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    lines = ["x,y", *(f"{i},{'ab'[i % 2]}" for i in range(30)), "3,rare", "4,rare"]
    (folder / "small.csv").write_text("\n".join(lines) + "\n")
    done = call(
        capsys, "select", "small.csv", "--target", "y", "--model", "knn", "--grid",
        "n_neighbors=1,3", "--nested", "2-fold / 2-fold stratified", "--no-store",
    )  # fmt: skip
    assert done.code == 2
    assert "inner folds within the training part of outer fold 1" in done.err
    assert "class 'rare'" in done.err


def test_outer_folds_of_a_column_keep_their_names(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    sites = ("north", "south", "west")
    lines = ["x,y,site", *(f"{i % 7},{'ab'[i % 2]},{sites[i % 3]}" for i in range(60))]
    (folder / "sites.csv").write_text("\n".join(lines) + "\n")
    asked = (
        "select", "sites.csv", "--target", "y", "--model", "knn", "--grid", "n_neighbors=1,3",
        "--no-store", "--nested", "column site / 3-fold",
    )  # fmt: skip
    shown = call(capsys, *asked).out
    rows = shown[shown.index("Outer folds\n") :].splitlines()[3:]
    assert [row.split()[0] for row in rows] == list(sites)
    told = json.loads(call(capsys, *asked, "--format", "json").out)
    assert [one["fold"] for one in told["outer"]] == list(sites)
    # two rows of a class are too few for stratified folds within the other sites
    lines += ["8,rare,north", "9,rare,north", "9,rare,south", "9,rare,south", "9,rare,south"]
    (folder / "sites.csv").write_text("\n".join(lines) + "\n")
    assert call(capsys, *asked).code == 0
    failed = call(capsys, *asked[:-1], "column site / 3-fold stratified")
    assert failed.code == 2
    assert "inner folds within the training part of outer fold south" in failed.err


def test_a_positive_class_is_asked_for_only_where_it_matters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "d.csv"
    rows = [f"{i % 7},{i % 5},{'yes' if i % 7 > 3 else 'no'}" for i in range(80)]
    path.write_text("a,b,y\n" + "\n".join(rows) + "\n")
    words = ("select", str(path), "--target", "y", "--model", "tree", "--grid", "max_depth=1..3")
    done = call(capsys, *words, "--no-store")
    assert done.code == 0
    assert "no positive class was named, and accuracy does not depend on it\n" in done.err
    nested = call(capsys, *words, "--no-store", "--nested", "2x2-fold")
    assert "no positive class was named, and accuracy does not depend on it\n" in nested.err
    asked = call(capsys, *words, "--no-store", "--measure", "recall")
    assert asked.code == 2
    assert "--positive" in asked.err
    assert call(capsys, *words, "--no-store", "--measure", "recall", "--positive", "no").code == 0
