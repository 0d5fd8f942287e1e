"""The counter-based generator against published SplitMix64 numbers and a second implementation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

from sekisho.envs.counter_rng import draw, draw_below, mix, new_rng

GAMMA, WORD = 0x9E3779B97F4A7C15, 2**64 - 1
PUBLISHED = {  # first outputs of SplitMix64 by seed; 1234567: rosettacode.org, 0: test vectors of the xoshiro authors' C code
    1234567: [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ],
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F],
}


def mixed(word: int) -> int:
    """The mixer in plain integers."""
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & WORD
    return word ^ word >> 31


@pytest.mark.parametrize("seed", PUBLISHED)
def test_mix_gives_the_published_numbers_of_splitmix64(seed: int) -> None:
    ours = [int(mix(np.uint64((seed + i * GAMMA) & WORD))) for i in range(1, 1 + len(PUBLISHED[seed]))]
    assert ours == PUBLISHED[seed]


@pytest.mark.parametrize("key", [0, 1, 1234567, 2**63, WORD])
def test_draw_is_splitmix64_seeded_with_the_mixed_key(key: int) -> None:
    rng = new_rng(key)
    expected = [mixed((mixed(key) + i * GAMMA) & WORD) for i in range(1, 101)]
    assert [int(draw(rng)) for _ in range(100)] == expected
    assert rng.tolist() == [key, 100]


@pytest.mark.parametrize("bound", [1, 2, 6, 209, 2**31])
def test_draw_below_is_the_upper_half_of_a_draw_scaled_to_the_bound(bound: int) -> None:
    rng = new_rng(99)
    numbers = [int(draw_below(rng, bound)) for _ in range(1000)]
    assert numbers == [(mixed((mixed(99) + i * GAMMA) & WORD) >> 32) * bound >> 32 for i in range(1, 1001)]
    assert 0 <= min(numbers) <= max(numbers) < bound


@pytest.mark.parametrize("bound", [2, 3, 6, 131])
def test_draw_below_is_uniform_over_the_numbers_of_one_key_and_over_keys(bound: int) -> None:
    rng = new_rng(7)
    along = np.bincount([draw_below(rng, bound) for _ in range(200 * bound)], minlength=bound)
    across = np.bincount([draw_below(new_rng(key), bound) for key in range(200 * bound)], minlength=bound)
    assert chisquare(along).pvalue > 1e-4
    assert chisquare(across).pvalue > 1e-4


def test_a_generator_can_be_continued_from_its_counter() -> None:
    rng = new_rng(5)
    numbers = [int(draw(rng)) for _ in range(10)]
    later = new_rng(5, counter=6)
    assert [int(draw(later)) for _ in range(4)] == numbers[6:]


def test_neighbouring_keys_share_no_number() -> None:
    numbers = [int(draw(rng)) for rng in map(new_rng, range(50)) for _ in range(50)]
    assert len(set(numbers)) == 2500


def test_each_bit_of_the_word_changes_about_half_of_the_mixed_bits() -> None:
    words = [mixed(i) for i in range(64)]
    for bit in range(64):
        changed = [(int(mix(np.uint64(w))) ^ int(mix(np.uint64(w ^ 1 << bit)))).bit_count() for w in words]
        assert 28 <= sum(changed) / len(changed) <= 36  # 32 expected, standard error 0.5


@pytest.mark.parametrize("key", [-1, 2**64])
def test_a_key_beyond_64_bits_is_refused(key: int) -> None:
    with pytest.raises(OverflowError):
        new_rng(key)
