"""``heldout models``: lists the named models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from heldout.cli.command import Answer, finish, listing_of
from heldout.cli.groups import LISTED
from heldout.cli.options import SectionedCommand, options

if TYPE_CHECKING:
    from heldout.learners.named import NamedModel

EPILOG = """\
Any other estimator with scikit-learn's interface: --models package.module:name. Write
prepare:package.module:name to put heldout's imputation and one-hot encoding in front of it, for
example --models prepare:lightgbm:LGBMClassifier."""

#: a data set of each task, on which the models are made
SAMPLES = {"classification": "iris", "regression": "diabetes"}


@click.command(cls=SectionedCommand, epilog=EPILOG, short_help="List the named models.")
@options("Output", *LISTED)
def command(**given: Any) -> int:
    """List the models that --models knows by name.

    "exact" means that k-fold cross-validation is computed from a single fit, with the same results
    as refitting in every fold.
    """
    from heldout.learners.named import MODELS
    from heldout.report.table import Column, Table

    asked = listing_of(given)
    models = [_record(model) for model in MODELS]
    columns = (Column("name"), Column("task"), Column("exact"), Column("model", excess="wrap"))
    return finish(
        given,
        asked,
        Answer(
            document=lambda: (Table("Named models", columns, tuple(map(_cells, models))),),
            record=lambda: {"call": {"command": "models"}, "models": models},
        ),
    )


def _cells(model: dict[str, Any]) -> tuple[str, ...]:
    task = "both" if len(model["tasks"]) > 1 else model["tasks"][0]
    estimators = f" ({', '.join(model['estimators'])})" if model["estimators"] else ""
    aliases = f"; also called {', '.join(model['aliases'])}" if model["aliases"] else ""
    is_exact = "yes" if model["exact"] else "no"
    return model["name"], task, is_exact, f"{model['summary']}{estimators}{aliases}"


def _record(named: NamedModel) -> dict[str, Any]:
    """What there is to say of a model: as it is made for the sample of each of its tasks."""
    from heldout.core.errors import MissingExtra
    from heldout.datasets.read import read_dataset
    from heldout.learners.calibrated import innermost
    from heldout.learners.exact.paths import exact_path
    from heldout.learners.request import model_for
    from heldout.procedures.apply import splits_of

    makers = {"classification": named.classifier, "regression": named.regressor}
    tasks = [task for task, maker in makers.items() if maker]
    estimators, is_exact = [], []
    for task in tasks:
        data = read_dataset(SAMPLES[task], needs_positive=False)
        try:
            model = model_for(named.name, data)
        except MissingExtra:
            continue
        estimators.append(type(innermost(model.estimator)[1]).__name__)
        is_exact.append(not isinstance(exact_path(model, data, splits_of("10-fold", data)), str))
    return {
        "name": named.name,
        "aliases": list(named.aliases),
        "tasks": tasks,
        "estimators": estimators,
        "exact": bool(is_exact) and all(is_exact),
        "summary": named.summary,
    }
