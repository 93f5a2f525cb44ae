"""heldout: the honest performance assessment of predictive models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from heldout.assess.score import score
    from heldout.assess.scorecard import Scorecard
    from heldout.auditing.audit import Audit
    from heldout.auditing.public import audit
    from heldout.comparison.compare import compare
    from heldout.comparison.comparison import Comparison
    from heldout.comparison.over_sets.compare_results import compare_results
    from heldout.comparison.power.power import power
    from heldout.core.errors import HeldoutError, InputError
    from heldout.data import example
    from heldout.engines.public import read_predictions
    from heldout.evaluation.evaluate import evaluate
    from heldout.evaluation.evaluation import Evaluation
    from heldout.learners.request import prepared
    from heldout.predictions.arrays import from_arrays
    from heldout.predictions.table import Predictions
    from heldout.procedures.bootstrap import Bootstrap
    from heldout.procedures.holdout import Holdout
    from heldout.procedures.kfold import KFold
    from heldout.procedures.leave_out import LeaveOneGroupOut, LeaveOneOut, LeavePOut
    from heldout.procedures.parse import parse_procedure
    from heldout.procedures.predefined import PredefinedFolds
    from heldout.procedures.time_ordered import TimeOrdered
    from heldout.selection.fitted_model import load_model
    from heldout.selection.select import select
    from heldout.selection.selection import Selection
    from heldout.selection.wrapper import SelectCV

__all__ = [
    "Audit",
    "Bootstrap",
    "Comparison",
    "Evaluation",
    "HeldoutError",
    "Holdout",
    "InputError",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePOut",
    "PredefinedFolds",
    "Predictions",
    "Scorecard",
    "SelectCV",
    "Selection",
    "TimeOrdered",
    "__version__",
    "audit",
    "compare",
    "compare_results",
    "evaluate",
    "example",
    "from_arrays",
    "load_model",
    "parse_procedure",
    "power",
    "prepared",
    "read_predictions",
    "score",
    "select",
]

#: where each public name lives; nothing is imported until it is used
PLACES = {
    "Audit": "heldout.auditing.audit",
    "Bootstrap": "heldout.procedures.bootstrap",
    "Comparison": "heldout.comparison.comparison",
    "Evaluation": "heldout.evaluation.evaluation",
    "Holdout": "heldout.procedures.holdout",
    "InputError": "heldout.core.errors",
    "KFold": "heldout.procedures.kfold",
    "HeldoutError": "heldout.core.errors",
    "LeaveOneGroupOut": "heldout.procedures.leave_out",
    "LeaveOneOut": "heldout.procedures.leave_out",
    "LeavePOut": "heldout.procedures.leave_out",
    "PredefinedFolds": "heldout.procedures.predefined",
    "Predictions": "heldout.predictions.table",
    "Scorecard": "heldout.assess.scorecard",
    "SelectCV": "heldout.selection.wrapper",
    "Selection": "heldout.selection.selection",
    "TimeOrdered": "heldout.procedures.time_ordered",
    "audit": "heldout.auditing.public",
    "compare": "heldout.comparison.compare",
    "compare_results": "heldout.comparison.over_sets.compare_results",
    "evaluate": "heldout.evaluation.evaluate",
    "example": "heldout.data",
    "from_arrays": "heldout.predictions.arrays",
    "load_model": "heldout.selection.fitted_model",
    "parse_procedure": "heldout.procedures.parse",
    "power": "heldout.comparison.power.power",
    "prepared": "heldout.learners.request",
    "read_predictions": "heldout.engines.public",
    "score": "heldout.assess.score",
    "select": "heldout.selection.select",
}


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module 'heldout' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
