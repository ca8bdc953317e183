"""Write the first screens again, to be read before they are kept: python -m tests.judgement.first_screens.write"""

from tests.judgement.first_screens.cases import CASES, path_of
from tests.judgement.first_screens.screens import screen


def main() -> None:
    for name, case in CASES.items():
        for command in ("evaluate", "compare"):
            path_of(name, command).write_text(screen(case(), command), encoding="utf-8")


if __name__ == "__main__":
    main()
