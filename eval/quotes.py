"""EVALB's quote repair: put back quotation marks that only one side's tags have deleted."""

from __future__ import annotations

from bnaparser.eval.debug import Trace
from bnaparser.eval.evalb_sentence import EvalbSentence, Quote, Word
from bnaparser.eval.params import Params


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
