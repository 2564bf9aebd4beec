"""The model list and what a request may name."""

import openai
import pytest

from conftest import CHAT, IMAGES, TOOLS


def test_the_list_has_every_model_in_order(client):
    models = client.models.list().data
    assert [model.id for model in models] == [CHAT, TOOLS, IMAGES]
    assert all(model.object == "model" and model.created > 0 and model.owned_by for model in models)


def test_one_model(client):
    assert client.models.retrieve(IMAGES).id == IMAGES
    with pytest.raises(openai.NotFoundError) as failure:
        client.models.retrieve("gpt-9")
    assert "gpt-9" in failure.value.body["message"]


def test_an_unknown_model_is_not_found(client):
    with pytest.raises(openai.NotFoundError) as failure:
        client.chat.completions.create(model="gpt-9", messages=[{"role": "user", "content": "hi"}])
    assert failure.value.body["param"] == "model"
    with pytest.raises(openai.NotFoundError):
        client.images.generate(model="dall-e-9", prompt="a cat")


def test_a_model_of_the_other_kind_is_refused(client):
    with pytest.raises(openai.APIStatusError) as failure:
        client.chat.completions.create(model=IMAGES, messages=[{"role": "user", "content": "hi"}])
    assert 400 <= failure.value.status_code < 500
    with pytest.raises(openai.APIStatusError) as failure:
        client.images.generate(model=CHAT, prompt="a cat")
    assert 400 <= failure.value.status_code < 500


def test_25_the_list_shows_the_context_a_request_can_use(client):
    shown = client.models.retrieve(CHAT).model_dump()
    context = next(value for key, value in shown.items() if "context" in key or key == "max_model_len")
    # Nearly all of it can be used by one prompt ("word " is a token), and a little more than all of it cannot.
    fits = client.chat.completions.create(
        model=CHAT, messages=[{"role": "user", "content": "word " * (context - 100)}], max_tokens=1)
    assert fits.usage.prompt_tokens > context - 150
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model=CHAT, messages=[{"role": "user", "content": "word " * (context + 10)}])
