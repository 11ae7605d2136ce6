"""The comparison of two lines, exactly as EVALB's ``calc_result`` does it, bracket by bracket.

`bnaparser.eval.scorer` computes the same row for lines in good order, in a quarter of the time.
"""

from __future__ import annotations

from bnaparser.eval.params import Params
from bnaparser.eval.report import SKIP, ErrorLog, Row
from bnaparser.eval.sentence import Bracket, EvalbSentence, Quote, Trace, Word


def repair_quotes(
    gold: EvalbSentence, test: EvalbSentence, params: Params, trace: Trace | None
) -> None:
    """Change both sentences in place; call only when their numbers of words differ.

    A pair of records at one index, with one tag deleted and the other kept, is repaired by putting
    the deleted mark back. The index of a test record is looked at once, before its own repairs.
    """
    if trace:
        trace.quotes(gold.quotes, test.quotes)
    deleted = params.delete_labels
    for test_number, test_quote in enumerate(test.quotes):
        index = test_quote.index
        for gold_number, gold_quote in enumerate(gold.quotes):
            if gold_quote.index != index:
                continue
            gold_deleted, test_deleted = gold_quote.tag in deleted, test_quote.tag in deleted
            if gold_deleted and not test_deleted:
                _put_back(gold, gold_number, trace)
            elif test_deleted and not gold_deleted:
                _put_back(test, test_number, trace)


def _put_back(sentence: EvalbSentence, number: int, trace: Trace | None) -> None:
    quote: Quote = sentence.quotes[number]
    if trace:
        trace.insertion(quote, sentence.brackets)
    sentence.words.insert(quote.index, Word(quote.word, quote.tag))
    for bracket in sentence.brackets[quote.bracket :]:
        bracket.start += 1
        bracket.end += 1
    for inside in quote.inside:
        sentence.brackets[inside].end += 1
    for later in sentence.quotes[number:]:
        later.index += 1


UNMATCHED, MATCHED, DELETED = 0, 1, 5


def compare(
    gold: EvalbSentence, test: EvalbSentence, params: Params, log: ErrorLog, trace: Trace | None
) -> Row:
    """Return the row of a sentence; report an error to the log and return zeros if words differ.

    States, labels and spans of both sentences are changed in place, as the debug output shows.
    """
    if trace:
        trace.comparison()
    if not test.words:
        log.status = SKIP
    elif _same_words(gold, test, params, log, trace):
        for sentence in gold, test:
            _prepare_brackets(sentence.brackets, params)
        matched = _match_brackets(gold, test, params, trace)
        crossing = _count_crossing(gold, test, trace)
        tags = _match_tags(gold, test, params)
        counts = (_count(gold.brackets), _count(test.brackets))
        return Row(
            log.line, gold.length, log.status, matched, *counts, crossing, len(gold.words), tags
        )
    return Row(log.line, gold.length, log.status)


def _same_words(
    gold: EvalbSentence, test: EvalbSentence, params: Params, log: ErrorLog, trace: Trace | None
) -> bool:
    if len(gold.words) != len(test.words):
        repair_quotes(gold, test, params, trace)
    if len(gold.words) != len(test.words):
        log.report(b"Length unmatch (%d|%d)" % (len(gold.words), len(test.words)))
        return False
    for first, second in zip(gold.words, test.words, strict=True):
        if not params.same_word(first.text, second.text):
            log.report(b"Words unmatch (%s|%s)" % (first.text, second.text))
            return False
    return True


def _prepare_brackets(brackets: list[Bracket], params: Params) -> None:
    for bracket in brackets:
        bracket.state = UNMATCHED
        if bracket.start == bracket.end:
            bracket.state = DELETED
            continue
        bracket.label = params.compared(bracket.label)
        if params.deletes_bracket(bracket.label):
            bracket.state = DELETED


def _match_brackets(
    gold: EvalbSentence, test: EvalbSentence, params: Params, trace: Trace | None
) -> int:
    """Match greedily in order of opening; return how many gold brackets found a partner."""
    matched = 0
    relabelled: set[int] = set()  # test brackets whose LABEL line was written
    for bracket in gold.brackets:
        same_span = False
        for number, other in enumerate(test.brackets):
            if trace:
                trace.pair(bracket, other)
            if (
                bracket.state == DELETED
                or other.state != UNMATCHED
                or (bracket.start, bracket.end) != (other.start, other.end)
            ):
                continue
            same_span = True
            if not params.labeled or params.same_label(bracket.label, other.label):
                bracket.state = other.state = MATCHED
                matched += 1
                break
            relabelled.add(number)
            if trace:
                trace.finding(b"LABEL", gold.line, bracket)
        if trace and not same_span and bracket.state != DELETED:
            trace.finding(b"BRACKET", gold.line, bracket)
    if trace:
        for number, other in enumerate(test.brackets):
            if other.state == UNMATCHED and number not in relabelled:
                trace.finding(b"EXTRA", test.line, other)
    return matched


def _count_crossing(gold: EvalbSentence, test: EvalbSentence, trace: Trace | None) -> int:
    """Return how many test brackets are crossed by at least one gold bracket."""
    crossing = 0
    gold_left = [bracket for bracket in gold.brackets if bracket.state != DELETED]
    written: Bracket | None = None
    for other in test.brackets:
        if other.state == DELETED:
            continue
        for bracket in gold_left:
            if (
                bracket.start < other.start < bracket.end < other.end
                or other.start < bracket.start < other.end < bracket.end
            ):
                crossing += 1
                if trace and bracket is not written:
                    trace.finding(b"CROSSING", gold.line, bracket)
                    written = bracket
                break
    return crossing


def _match_tags(gold: EvalbSentence, test: EvalbSentence, params: Params) -> int:
    correct = 0
    for first, second in zip(gold.words, test.words, strict=True):
        agree = params.same_label(first.tag, second.tag)
        first.state = second.state = int(agree)
        correct += agree
    return correct


def _count(brackets: list[Bracket]) -> int:
    return sum(bracket.state != DELETED for bracket in brackets)
