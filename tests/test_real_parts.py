"""Is an absent part a failure in continuous integration, and a skipped test elsewhere?"""

from __future__ import annotations

import pytest

from tests.real_parts import absent, needs

pytest_plugins = ["pytester"]


@pytest.mark.parametrize("value", ["true", "1", "TRUE"])
def test_ci_fails(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CI", value)
    with pytest.raises(pytest.fail.Exception, match="CI must not skip: no browser"):
        absent("no browser")


@pytest.mark.parametrize("value", ["", "false"])
def test_elsewhere_it_is_skipped_with_the_reason(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("CI", value)
    with pytest.raises(pytest.skip.Exception, match="no_such_library is not installed"):
        needs("no_such_library")


@pytest.mark.parametrize(
    ("ci", "expected"), [("true", {"failed": 2, "errors": 1, "skipped": 1}), ("", {"skipped": 4})]
)
def test_however_it_is_skipped(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, ci: str, expected: dict[str, int]
) -> None:
    monkeypatch.setenv("CI", ci)
    pytester.makeconftest("from tests.real_parts import pytest_runtest_makereport")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.skipif(True, reason="needs a part")
        def test_marked(): ...

        def test_imported():
            pytest.importorskip("no_such_library")

        def test_called():
            pytest.skip("no browser")

        def test_nothing_absent():
            pytest.skip("JSON has no such number")
        """
    )
    pytester.runpytest_inprocess("-p", "no:cacheprovider").assert_outcomes(**expected)
