"""karat: the honest performance assessment of predictive models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from karat.assess.score import score
    from karat.assess.scorecard import Scorecard
    from karat.auditing.audit import Audit
    from karat.auditing.public import audit
    from karat.comparison.compare import compare
    from karat.comparison.compare_results import compare_results
    from karat.comparison.comparison import Comparison
    from karat.comparison.power import power
    from karat.core.errors import InputError, KaratError
    from karat.data import example
    from karat.evaluation.evaluate import evaluate
    from karat.evaluation.evaluation import Evaluation
    from karat.learners.request import prepared
    from karat.predictions.read import from_arrays, read_predictions
    from karat.predictions.table import Predictions
    from karat.procedures.bootstrap import Bootstrap
    from karat.procedures.holdout import Holdout
    from karat.procedures.kfold import KFold
    from karat.procedures.leave_one_group_out import LeaveOneGroupOut
    from karat.procedures.leave_one_out import LeaveOneOut
    from karat.procedures.leave_p_out import LeavePOut
    from karat.procedures.parse import parse_procedure
    from karat.procedures.predefined import PredefinedFolds
    from karat.procedures.time_ordered import TimeOrdered
    from karat.selection.load import load_model
    from karat.selection.select import select
    from karat.selection.selection import Selection
    from karat.selection.wrapper import SelectCV

__all__ = [
    "Audit",
    "Bootstrap",
    "Comparison",
    "Evaluation",
    "Holdout",
    "InputError",
    "KFold",
    "KaratError",
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
    "Audit": "karat.auditing.audit",
    "Bootstrap": "karat.procedures.bootstrap",
    "Comparison": "karat.comparison.comparison",
    "Evaluation": "karat.evaluation.evaluation",
    "Holdout": "karat.procedures.holdout",
    "InputError": "karat.core.errors",
    "KFold": "karat.procedures.kfold",
    "KaratError": "karat.core.errors",
    "LeaveOneGroupOut": "karat.procedures.leave_one_group_out",
    "LeaveOneOut": "karat.procedures.leave_one_out",
    "LeavePOut": "karat.procedures.leave_p_out",
    "PredefinedFolds": "karat.procedures.predefined",
    "Predictions": "karat.predictions.table",
    "Scorecard": "karat.assess.scorecard",
    "SelectCV": "karat.selection.wrapper",
    "Selection": "karat.selection.selection",
    "TimeOrdered": "karat.procedures.time_ordered",
    "audit": "karat.auditing.public",
    "compare": "karat.comparison.compare",
    "compare_results": "karat.comparison.compare_results",
    "evaluate": "karat.evaluation.evaluate",
    "example": "karat.data",
    "from_arrays": "karat.predictions.read",
    "load_model": "karat.selection.load",
    "parse_procedure": "karat.procedures.parse",
    "power": "karat.comparison.power",
    "prepared": "karat.learners.request",
    "read_predictions": "karat.predictions.read",
    "score": "karat.assess.score",
    "select": "karat.selection.select",
}


def __getattr__(name: str) -> Any:
    if name not in PLACES:
        raise AttributeError(f"module 'karat' has no attribute {name!r}")
    from importlib import import_module

    found = getattr(import_module(PLACES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
