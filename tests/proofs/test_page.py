"""The page on a measure: the verdicts as they were decided, the pictures as the formulas have them, and every name as text."""

import textwrap
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from steelyard.cli import main
from steelyard.measures.catalogue import measure
from steelyard.proofs import figures as pictures
from steelyard.proofs.judge import examine
from steelyard.proofs.portrait import PRIORS, portrait_of
from steelyard.proofs.prover.subject import Subject
from steelyard.proofs.questions.conditions import property_named
from steelyard.proofs.result import Examination
from steelyard.proofs.verdict import Counterexample, Verdict, as_matrix


class Elements(HTMLParser):
    """The start tags of a page, with their facts."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def count(self, tag, **facts):
        return sum(t == tag and all(a.get(k) == v for k, v in facts.items()) for t, a in self.found)


ONE = [property_named("prior-invariance"), property_named("p2")]


def test_the_page_shows_the_verdicts_and_a_picture_for_each_prior():
    precision = measure("precision")
    text = examine(precision, ONE).to_html()
    found = Elements(text)
    buttons = [
        a for t, a in found.found if t == "button" and a.get("data-kind-filter", "").startswith("prior ")
    ]
    assert [a["aria-pressed"] for a in buttons] == ["true", *["false"] * (len(PRIORS) - 1)]
    for prior in PRIORS:
        assert text.count(f"<h3>Level curves of precision at v_P = {prior:g}</h3>") == 1
        assert text.count(f"<h3>Slopes of precision at v_P = {prior:g}</h3>") == 1
    assert text.count("<h3>precision against the prior</h3>") == 1
    assert "precision against the number of classes" not in text
    assert found.count("script") == 1
    assert '<span class="bad">refuted</span>' in text
    assert '<span class="good">proved</span>' in text
    # the smallest change of proportions that precision notices: 1/2 and 2/3
    assert (
        '<table class="small-matrix"><caption>1/2</caption><tbody><tr><td>1</td><td>0</td></tr><tr><td>1</td><td>0</td></tr>'
        in text
    )
    assert "<caption>2/3</caption>" in text
    assert "TNr 0.5, TPr 0.8, v_P 0.5: 0.6154" in text  # 0.8 / (0.8 + 0.5)


def test_the_curves_are_labelled_with_the_values_they_have():
    portrait = portrait_of(Subject(measure("balanced_accuracy")))
    drawn = pictures.levels_chart(portrait, "m", 0.01, [0.25, 0.5, 0.75])
    curves = [mark for mark in drawn.marks if mark.kind == "line"]
    assert [mark.name for mark in curves] == ["0.25", "0.5", "0.75"]
    for mark in curves:
        for tnr, tpr in zip(mark.x, mark.y, strict=True):  # balanced accuracy is (TNr + TPr) / 2
            assert (tnr + tpr) / 2 == pytest.approx(float(mark.name), abs=1e-3)


def test_only_what_depends_on_the_prior_is_coloured():
    for name, depends in (("accuracy", True), ("balanced_accuracy", False), ("diagnostic_odds_ratio", False)):
        portrait = portrait_of(Subject(measure(name)))
        drawn = pictures.slopes_chart(portrait, name, 0.1)
        assert pictures.depends_on_prior(portrait, 0.1) is depends
        assert any(mark.colour in ("error", "balanced") for mark in drawn.marks) is depends


def test_levels_are_round_and_few_huge_values_do_not_push_them_into_a_corner():
    assert pictures.common_levels(portrait_of(Subject(measure("accuracy")))) == [
        round(0.1 * k, 1) for k in range(1, 10)
    ]
    odds = pictures.common_levels(portrait_of(Subject(measure("diagnostic_odds_ratio"))))
    assert 5 <= len(odds) <= 9
    assert odds[-1] < 1000  # the greatest value on the grid is beyond a million
    mcc = portrait_of(Subject(measure("mcc")))
    assert all(
        level == 0 or abs(level) > 1e-6
        for prior in PRIORS
        for level in pictures.levels_at(mcc, prior, pictures.common_levels(mcc))
    )


def test_every_place_tells_its_value():
    portrait = portrait_of(Subject(measure("gmean")))
    common = pictures.common_levels(portrait)
    assert pictures.levels_chart(portrait, "gmean", 0.1, common).svg().count("<title>") == 21 * 21
    assert pictures.slopes_chart(portrait, "gmean", 0.1).svg().count("<title>") == 9 * 9


HOSTILE = "<script>alert(1)</script>\"'&.py:<b>"


def test_hostile_names_are_text(tmp_path):
    example = Counterexample((as_matrix([[1, 0], [0, 1]]),), (float("nan"),))
    verdict = Verdict(
        HOSTILE, "<i>p</i>", "refuted", "<u>m</u>", "C = <s>2</s>", example, (), ("<em>n</em>",)
    )
    portrait = portrait_of(Subject(measure("gmean")))
    found = Examination(HOSTILE, HOSTILE, (verdict,), ("<img src=x onerror=alert(1)>",), portrait=portrait)
    text = found.to_html()
    elements = Elements(text)
    assert not {"i", "u", "s", "em", "img"} & {tag for tag, _ in elements.found}
    assert elements.count("script") == 1
    assert not any(name.startswith("on") for _, facts in elements.found for name in facts)
    assert text.count("&lt;script&gt;") > 10


def run(capsys, *arguments):
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_command_writes_the_page_of_a_measure_and_of_a_users_function(capsys, tmp_path):
    target = tmp_path / "examine.html"
    code, out, _ = run(capsys, "examine", "IAM", "--property", "p2", "--html", str(target))
    assert code == 0
    assert "p2" in out
    assert "imbalance_accuracy against the number of classes" in target.read_text(encoding="utf-8")
    own = tmp_path / "own.py"
    code = """
        def three_only(m):
            if m.shape[-1] != 3:
                raise ValueError("three classes only")
            return m[..., 0, 0] / m.sum(axis=(-1, -2))


        def half(m):
            return 0.5 + 0 * m[..., 0, 0]
        """
    own.write_text(textwrap.dedent(code), encoding="utf-8")
    only = ("--property", "prior-invariance", "--html", str(target))
    assert run(capsys, "examine", f"{own}:three_only", "--classes", "3", *only)[0] == 0
    text = target.read_text(encoding="utf-8")
    assert "With two classes it has no value to draw." in text
    assert "own.py:three_only against the prior" in text
    assert "it has a value with one number of classes at most" in text
    assert run(capsys, "examine", f"{own}:half", "--classes", "2", *only)[0] == 0
    assert "the same value for every classifier at every prior" in target.read_text(encoding="utf-8")


def test_a_page_that_cannot_be_drawn_says_why():
    text = replace(examine(measure("gmean"), ONE), no_picture="the time of 4 seconds was up").to_html()
    assert "There are no figures: the time of 4 seconds was up." in text
    assert 'class="picture' not in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("examine", "gmean", "IAM"), "a figure or a page shows one metric; found 2 metrics"),
        (("examine",), "a figure or a page shows one metric; found 0 metrics"),
        (("examine", "gmean", "--against", "IAM"), "found --against"),
        (("examine", "roc_auc"), "a metric of scores cannot be examined"),
    ],
)
def test_what_has_no_page_is_refused_in_a_sentence(capsys, tmp_path, arguments, words):
    code, out, err = run(capsys, *arguments, "--html", str(tmp_path / "p.html"))
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_page_never_replaces_the_users_measure(capsys, tmp_path):
    own = tmp_path / "own.py"
    own.write_text("def half(m):\n    return 0.5 + 0 * m[..., 0, 0]\n", encoding="utf-8")
    code, _, err = run(capsys, "examine", f"{own}:half", "--html", str(own))
    assert code == 2
    assert "an output would replace the measure" in err
    assert own.read_text(encoding="utf-8").startswith("def half")
