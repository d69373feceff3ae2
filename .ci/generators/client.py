"""
Asks with the client that openapi-python-client has generated: `python client.py <address>`, with the folder of the generated package in
PYTHONPATH. Prints what `check.mjs` expects of every client.
"""

import json
import sys

from typed_questions import AuthenticatedClient
from typed_questions.api.questions import ask_questions, list_models
from typed_questions.models import (
    AskRequest,
    AskRequestQuestions,
    AskResponse,
    ChoiceAnswer,
    ChoiceQuestion,
    ChoiceQuestionCriteria,
    ChoiceType,
    Failure,
    ModelList,
    NoulAnswer,
    NoulQuestion,
    NoulQuestionCriteriaType0,
    NoulType,
    ScoreAnswer,
    ScoreQuestion,
    ScoreType,
)

address = sys.argv[1]
client = AuthenticatedClient(base_url=address, token="k")
request = AskRequest(
    state="I was charged twice this month. Fix it now.",
    questions=AskRequestQuestions.from_dict({}),
)
yes_and_no = NoulQuestionCriteriaType0.from_dict({"true": "charged twice", "false": None})
request.questions["billing"] = NoulQuestion(
    NoulType.NOUL, instructions="Was the customer charged twice?", criteria=yes_and_no
)
labels = ChoiceQuestionCriteria.from_dict({"calm": "polite", "angry": "fix it now", "other": None})
request.questions["tone"] = ChoiceQuestion(
    ChoiceType.CHOICE, labels, instructions="What is the tone?"
)
request.questions["urgency"] = ScoreQuestion(ScoreType.SCORE, ["can wait", {"text": "fix it now"}])

response = ask_questions.sync(client=client, body=request)
assert isinstance(response, AskResponse), response
billing, tone, urgency = (response.answers[name] for name in ("billing", "tone", "urgency"))
assert isinstance(billing, NoulAnswer)
assert isinstance(tone, ChoiceAnswer)
assert isinstance(urgency, ScoreAnswer)
answers = [
    billing.noul > 0.5,
    tone.choice,
    list(tone.probabilities.additional_properties),
    urgency.score > 0.5,
    urgency.legend.additional_properties,
]
print(json.dumps(answers, separators=(",", ":")))

models = list_models.sync(client=client)
assert isinstance(models, ModelList)
print(models.models[0].name)

refused = ask_questions.sync_detailed(
    client=AuthenticatedClient(base_url=address, token="wrong"), body=request
)
assert isinstance(refused.parsed, Failure), refused
print(int(refused.status_code), "true" if refused.parsed.detail else "false")
