"""The questions that every fitted model takes, in the words of tables; no maths here.

`Questions` is shared by `fitted.Model` and the estimators. It turns cells into codes, asks `ask`,
and turns codes into the caller's kind of table again.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from clgp import ask
from clgp.evaluate import Hide, Scores
from clgp.evaluate import evaluate as score_hidden
from clgp.tables import InputError, Schema, encode, encode_case, fill, holes, like, row_names, rows
from clgp.tables.errors import close, shown
from clgp.typing import Codes, Float

if TYPE_CHECKING:
    from clgp.fitted import Model

Case = Mapping[str, Any]
Unseen = Literal["missing", "error"]


@dataclass(frozen=True)
class Question:
    """A column to ask for: what it would tell, and what it costs."""

    column: str
    bits: float
    cost: float


@dataclass(frozen=True, repr=False)
class Ranking:
    """The next questions, the most telling for their cost first, and the target's odds now."""

    target: str | None
    belief: Mapping[str, float]
    questions: tuple[Question, ...]

    def __repr__(self) -> str:
        lines = [f"{self.target}: {odds(self.belief)}"] if self.target else []
        wide = max([6, *(len(q.column) for q in self.questions)])
        lines.append(f"{'ask':<{wide}}  {'bits':>7}  {'cost':>7}")
        lines += [f"{q.column:<{wide}}  {q.bits:>7.4f}  {q.cost:>7g}" for q in self.questions]
        return "\n".join(lines)


@dataclass(frozen=True)
class Blame:
    """A cell that makes its row unusual: how probable it was, the others known."""

    column: str
    level: str
    prob: float


@dataclass(frozen=True)
class Unusual:
    """A row that the model finds improbable, with the cells to blame."""

    row: int
    log_prob: float
    percentile: float
    blame: tuple[Blame, ...]


def odds(belief: Mapping[str, float], most: int = 6) -> str:
    """Levels with their probabilities, the likely first, in a line."""
    ranked = sorted(belief.items(), key=lambda one: -one[1])
    return ", ".join(f"{level} {p:.1%}" for level, p in ranked[:most])


def evaluate(
    model: "Questions", table: Any, *, hide: Hide = 0.2, random_state: int | None = None
) -> Scores:
    """Hide known cells of a table, predict them with a fitted model, and score that."""
    return model.evaluate(table, hide=hide, random_state=random_state)


class Questions(ABC):
    """What can be asked of a fitted model."""

    @property
    @abstractmethod
    def fitted(self) -> "Model":
        """The schema and the answers."""

    def predict_proba(self, table: Any, *, wide: bool = False, unseen: Unseen = "missing") -> Any:
        """Probabilities of the levels of every missing cell: a row a level, or a column a level.

        Long: row, column, level, prob. Wide: a column "name=level" for each, empty where seen.
        A level that the schema does not know counts as missing, or is an error.
        """
        schema, codes = self.fitted.schema, self.codes(table, unseen=unseen)
        P = self.fitted.answers.probabilities(codes)
        missing = schema.levels.spread(codes < 0)
        if wide:
            P = np.where(missing, P, np.nan)
            names = [f"{c}={level}" for c in schema.modelled for level in schema.level_names(c)]
            return like(table, {name: P[:, k] for k, name in enumerate(names)})
        n, place = np.nonzero(missing)
        levels = np.concatenate([np.array(schema.level_names(c), object) for c in schema.modelled])
        columns = np.array(schema.modelled, object)[schema.levels.column]
        found = {
            "row": row_names(table, len(codes))[n],
            "column": columns[place],
            "level": levels[place],
            "prob": P[n, place],
        }
        return like(table, found)

    def complete(self, table: Any, *, min_prob: float = 0.0, unseen: Unseen = "missing") -> Any:
        """The same table with its holes filled with the most probable level, where sure enough."""
        if not 0 <= min_prob <= 1:
            raise InputError(f"min_prob must be between 0 and 1; got {min_prob}.")
        schema, codes = self.fitted.schema, self.codes(table, unseen=unseen)
        full = ask.complete.complete(self.fitted.answers, codes, min_prob=min_prob)
        return fill(table, schema, full, holes(table, schema))

    def impute(
        self,
        table: Any,
        *,
        m: int = 20,
        random_state: int | None = None,
        unseen: Unseen = "missing",
    ) -> list[Any]:
        """The table m times, its holes filled with joint draws."""
        if m < 1:
            raise InputError(f"m must be at least 1; got {m}.")
        schema, codes = self.fitted.schema, self.codes(table, unseen=unseen)
        key = np.random.default_rng(random_state)
        drawn = ask.complete.impute(self.fitted.answers, codes, m=m, key=key)
        where = holes(table, schema)
        return [fill(table, schema, one, where) for one in drawn]

    def sample(
        self,
        n: int = 1,
        *,
        given: Case | None = None,
        random_state: int | None = None,
        kind: Any = "table",
    ) -> Any:
        """New rows, given some answers if any, as a table or as a frame of one kind."""
        if n < 1:
            raise InputError(f"The number of rows must be at least 1; got {n}.")
        case = encode_case(given or {}, self.fitted.schema)
        drawn = self.fitted.answers.draw(
            np.repeat(case, n, axis=0), np.random.default_rng(random_state)
        )
        return rows(self.fitted.schema, drawn, kind)

    def score_samples(self, table: Any, *, unseen: Unseen = "missing") -> Float[np.ndarray, " N"]:
        """Log-probability in nats of each row's seen cells."""
        return self.fitted.answers.log_prob(self.codes(table, unseen=unseen))

    def embed(self, table: Any) -> Any:
        """Each row's place on the map, with its spread: columns x, y, x_sd, y_sd."""
        if self.fitted.map is None:
            raise InputError(
                f"The model '{self.fitted.name}' has no map; fit CLGP, whose two-dimensional "
                "member draws one."
            )
        mean, spread = ask.embed.embed(self.fitted.map, self.codes(table))
        found = {"x": mean[:, 0], "y": mean[:, 1], "x_sd": spread[:, 0], "y_sd": spread[:, 1]}
        return like(table, found)

    def unusual(self, table: Any, *, top: int = 10, blame: int = 3) -> list[Unusual]:
        """The least probable rows, for the number of their seen cells, with the cells to blame."""
        model, codes = self.fitted, self.codes(table)
        out = []
        for n in ask.score.most_unusual(model.answers, codes, top=top):
            log_prob = float(model.answers.log_prob(codes[n : n + 1])[0])
            a_cell = log_prob / max(1, (codes[n] >= 0).sum())
            below = float((model.usual < a_cell).mean()) if len(model.usual) else float("nan")
            out.append(Unusual(int(n), log_prob, 100 * below, self._blame(codes[n], blame)))
        return out

    def rank_next(
        self,
        case: Case | None = None,
        *,
        target: str | None = None,
        cost: Mapping[str, float] | None = None,
        exclude: Iterable[str] = (),
        k: int | None = None,
    ) -> Ranking:
        """What to ask for next: most bits about the target, or about all else, a unit of cost."""
        schema, answers = self.fitted.schema, self.fitted.answers
        codes = encode_case(case or {}, schema)
        at = None if target is None else self._column(target)
        if at is not None and codes[0, at] >= 0:
            raise InputError(f"The target '{target}' is among the answers; leave it out of them.")
        price = np.ones(len(schema.modelled))
        for name, value in (cost or {}).items():
            if not value > 0:
                raise InputError(f"The cost of '{name}' must be above 0; got {value}.")
            price[self._column(name)] = value
        left_out = np.array([self._column(name) for name in exclude], np.int64)
        found = ask.information.rank_next(answers, codes, target=at, cost=price, exclude=left_out)
        listed = zip(found.columns, found.nats / np.log(2), found.cost, strict=True)
        questions = tuple(Question(schema.modelled[d], float(b), float(c)) for d, b, c in listed)
        return Ranking(target, self.belief(case, target) if target else {}, questions[:k])

    def belief(self, case: Case | None, target: str) -> dict[str, float]:
        """The target's levels with their probabilities, given the answers so far."""
        schema, at = self.fitted.schema, self._column(target)
        P = self.fitted.answers.probabilities(encode_case(case or {}, schema))[0]
        names = schema.level_names(target)
        return dict(zip(names, P[schema.levels.at(at)].tolist(), strict=True))

    def evaluate(self, table: Any, *, hide: Hide = 0.2, random_state: int | None = None) -> Scores:
        """Hide known cells of the table, predict them, and score that."""
        if hide != "one" and not (isinstance(hide, int | float) and 0 < hide <= 1):
            raise InputError(f"hide must be a share above 0 and at most 1, or 'one'; got {hide!r}.")
        key = np.random.default_rng(random_state)
        return score_hidden(self.fitted.answers, self.codes(table), share=hide, key=key)

    def codes(self, table: Any, *, unseen: Unseen = "missing") -> Codes:
        """The table's cells as codes of the schema's levels."""
        return encode(table, self.fitted.schema, unseen=unseen)

    def _column(self, name: str) -> int:
        schema: Schema = self.fitted.schema
        if name not in schema.modelled:
            why = f" ({schema.columns[name].why})" if name in schema.columns else ""
            raise InputError(
                f"No modelled column '{shown(name)}'{why}: {close(name, schema.modelled)}."
            )
        return schema.modelled.index(name)

    def _blame(self, row: np.ndarray, most: int) -> tuple[Blame, ...]:
        schema = self.fitted.schema
        nats = ask.score.surprise(self.fitted.answers, row)
        worst = [d for d in np.argsort(-nats, kind="stable")[:most] if nats[d] > 0]
        return tuple(
            Blame(
                schema.modelled[d],
                schema.level_names(schema.modelled[d])[row[d]],
                float(np.exp(-nats[d])),
            )
            for d in worst
        )
