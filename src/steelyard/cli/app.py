"""The commands: parse, call, show."""

from __future__ import annotations

import sys
from typing import Any

import click

from steelyard._version import __version__
from steelyard.cli.claims import claims
from steelyard.cli.compare import compare
from steelyard.cli.evaluate import evaluate
from steelyard.cli.examine import examine
from steelyard.cli.options import MATRIX, UNDEFINED, parse_labels, parse_priors
from steelyard.cli.output import print_json
from steelyard.cli.recommend import recommend
from steelyard.cli.study import study
from steelyard.cli.threshold import threshold
from steelyard.cli.watch import watch
from steelyard.errors import SteelyardError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="steelyard", message="%(prog)s %(version)s")
def app() -> None:
    """Weigh classifiers when the classes are unequal."""


for command in (evaluate, compare, threshold, examine, claims, recommend, study, watch):
    app.add_command(command)


@app.command()
@click.option("--kind", type=click.Choice(["two-class", "multi-class", "scores"]), help="Only measures of this kind.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def measures(kind: Any, as_json: bool) -> None:
    """List every measure: what it asks, its range, where it comes from."""
    from steelyard.measures.catalogue import catalogue
    from steelyard.report.plain import describe

    chosen = catalogue(kind or "all")
    if as_json:
        print_json([describe(measure) for measure in chosen])
    else:
        from steelyard.report import terminal

        terminal.show_measures(chosen)


@app.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def explain(name: str, as_json: bool) -> None:
    """Explain one measure: NAME is an id, a paper's symbol or an alias."""
    from steelyard.measures.catalogue import measure
    from steelyard.report.plain import describe

    found = measure(name)
    if as_json:
        print_json(describe(found))
    else:
        from steelyard.report import terminal

        terminal.show_measure(found)


@app.command()
@click.argument("matrix", type=MATRIX)
@click.option("--labels", help="Class names in the order of the rows, separated by commas.")
@click.option("--positive", help="The positive class, for the measures of two classes.")
@click.option("--relevance", help="How much classes matter: 'ham < spam < phishing', 'ham=0.1, spam=1' or 'prevalence'.")
@click.option(
    "--priors", help="Class priors to weigh at: 'ham=0.999, spam=0.001', a JSON object, a .json file, or the prior of the positive class."
)
@click.option("--undefined", type=UNDEFINED, default="nan", show_default=True, help="nan, skip, raise or a number.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def weigh(
    matrix: Any, labels: str | None, positive: str | None, relevance: str | None, priors: str | None, undefined: Any, as_json: bool
) -> None:
    """Show every measure of MATRIX, a JSON list of rows (rows are truth, columns are predictions)."""
    from steelyard import relevance as relevances
    from steelyard.confusion import Confusion
    from steelyard.weighing import weigh_all

    confusion = Confusion(matrix, parse_labels(labels))
    weights = None
    if relevance is not None:
        weights = (
            relevances.prevalence(confusion) if relevance.strip().lower() == "prevalence" else relevances.parse(relevance, confusion.labels)
        )
    result = weigh_all(confusion, positive=positive, priors=parse_priors(priors), relevance=weights, undefined=undefined)
    if as_json:
        print_json(result.to_dict())
    else:
        from steelyard.report import terminal

        terminal.show_weighing(result)


def run(arguments: list[str]) -> int:
    """Run a command; what the user did wrong is one sentence on standard error and exit code 2."""
    try:
        app.main(arguments, prog_name="steelyard", standalone_mode=False)
    except SteelyardError as error:
        print(f"steelyard: {error}", file=sys.stderr)
        return 2
    except click.exceptions.Exit as ending:
        return ending.exit_code
    except click.ClickException as error:
        error.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        print("steelyard: interrupted.", file=sys.stderr)
        return 130
    except SystemExit:  # so Click and Rich leave when the reader of a pipe, such as head, has seen enough
        return 0
    return 0
