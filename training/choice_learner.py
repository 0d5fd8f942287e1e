"""Training steps of a network of kind ``nnue``, which has no policy: it learns which position is to be liked best.

Whoever plays by such a network looks at the positions after all choices. So the policy that learns is a softmax over these,
by what the network thinks them worth to the seat that chooses, `SHARPNESS` times the log-odds. The values are learned at the
decisions themselves.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..agents.networks.afterstates import Choices, settle
from ..agents.networks.modules import Sums
from ..agents.networks.quoridor_inputs import INPUTS, mirror
from ..envs.errors import RunError
from ..envs.quoridor.kernels import SEAT
from ..envs.quoridor.rules import Quoridor
from .learner import Learner, Losses, losses_of_answers
from .positions import Positions
from .searching.fitting import logits_of
from .searching.positions import places_of

SHARPNESS = 8.0
"""Of the policy: a choice is e times as probable for so small a part (1 / 8) of more log-odds."""
_ENDED = 10.0
"""Log-odds of a game that is won."""


class ChoiceLearner(Learner):
    """A `Learner` of a network of kind ``nnue``; see the head of this file."""

    def losses(self, drawn: Positions, rng: np.random.Generator) -> Losses:
        """See `Learner.losses`; with two players each decision is shown as it is or in the mirror, by lot."""
        mirrored = None
        if self._symmetries and self.game.num_players == 2:
            mirrored = rng.random(len(drawn.seats)) < 0.5
        logs = self._log_policy(drawn, mirrored)
        values = self._module().values(self._answers(self._shown(drawn.words, mirrored)))
        order = (drawn.seats[:, None] + np.arange(self.game.num_players)) % self.game.num_players
        return losses_of_answers(
            logs, values, torch.isfinite(logs), self._tensor(drawn.policies),
            self._tensor(np.take_along_axis(drawn.values, order, axis=1)), self._settings.value_weight,
        )  # fmt: skip

    def _liked(self, decisions: Positions) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """See `Learner._liked`."""
        return self._log_policy(decisions, None).argmax(1).cpu().numpy(), decisions.policies

    def _log_policy(self, decisions: Positions, mirrored: NDArray[np.bool_] | None) -> Tensor:
        """Return the logarithm of the policy, float32 ``[B, num_actions]``, minus infinity for what is illegal."""
        choices = Choices(self.game, decisions.words)
        movers = decisions.words[choices.rows, SEAT]
        returns = np.zeros((len(choices.positions), self.game.num_players))
        over = np.zeros(len(choices.positions), np.bool_)
        settle(self.game.table, self.game.rules, choices.positions, returns, over)
        shown = self._shown(choices.positions[choices.where], None if mirrored is None else mirrored[choices.rows])
        answers = self._answers(shown)
        # the next seat looks; whoever has chosen is the last in the order of turns
        worth = -answers[:, 0] if answers.shape[1] == 1 else torch.log_softmax(answers, 1)[:, -1]
        ended = self._tensor((_ENDED * returns[choices.where, movers]).astype(np.float32))
        worth = torch.where(self._tensor(over[choices.where]), ended, worth)
        scores = torch.full((len(decisions.seats), self.game.num_actions), -torch.inf, device=self.device)
        places = self._tensor(choices.rows), self._tensor(choices.actions)
        return torch.log_softmax(scores.index_put(places, SHARPNESS * worth), 1)

    def _shown(self, words: NDArray[np.int64], mirrored: NDArray[np.bool_] | None) -> NDArray[np.int32]:
        """Return the inputs that hold at positions, int32 ``[N, L]``, those of some in the mirror."""
        game = self.game
        if not isinstance(game, Quoridor):
            raise RunError(f"there is no network of kind nnue for {game.name}")
        places = places_of(game, words).astype(np.int32)
        if mirrored is None:
            return places
        other = np.append(mirror(game.board_size), INPUTS).astype(np.int32)
        return np.where(mirrored[:, None], other[places], places)

    def _answers(self, places: NDArray[np.int32]) -> Tensor:
        """Return what the last layer gives for lists of inputs, float32 ``[N, 1]`` or ``[N, 4]``."""
        answers = logits_of(self._module(), self._tensor(places))
        return answers[:, None] if answers.ndim == 1 else answers

    def _module(self) -> Sums:
        if not isinstance(self.module, Sums):
            raise RunError("a network that learns from choices is of kind nnue")
        return self.module

    def _tensor(self, array: NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(array).to(self.device)
