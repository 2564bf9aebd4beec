"""Chat completions that are kept, as OpenAI's own client uses them."""

import openai
import pytest
from openai.types.chat import ChatCompletion

from conftest import CHAT
from support.published import check_published


def ask(client: openai.OpenAI, **more) -> ChatCompletion:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello."}]
    return client.chat.completions.create(**({"model": CHAT, "messages": messages, "max_tokens": 8, "store": True} | more))


def test_the_client_lists_shows_changes_and_deletes(client):
    made = [ask(client, metadata={"topic": "kept", "number": str(number)}) for number in range(3)]
    listed = list(client.chat.completions.list(metadata={"topic": "kept"}, limit=2))
    assert [one.id for one in listed] == [one.id for one in made]
    shown = client.chat.completions.retrieve(made[0].id)
    check_published("CreateChatCompletionResponse", shown.model_dump(mode="json", exclude_unset=True))
    assert shown.choices[0].message.content == made[0].choices[0].message.content
    messages = list(client.chat.completions.messages.list(made[0].id, limit=1))
    assert [message.content for message in messages] == ["Be brief.", "Say hello."]
    assert client.chat.completions.update(made[0].id, metadata={"topic": "changed"}).metadata == {"topic": "changed"}
    assert client.chat.completions.delete(made[0].id).deleted
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.retrieve(made[0].id)
    assert [one.id for one in client.chat.completions.list(metadata={"topic": "kept"})] == [one.id for one in made[1:]]


def test_a_streamed_completion_is_kept_whole(client):
    chunks = list(ask(client, stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert client.chat.completions.retrieve(chunks[0].id).choices[0].message.content == text
