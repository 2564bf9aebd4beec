"""Who may ask: browsers of other origins, and clients with keys."""

import requests

CHAT_PATH = "/v1/chat/completions"
ORIGIN = "https://chat.example"


def preflight(gateway, origin: str) -> requests.Response:
    headers = {
        "Origin": origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-stainless-lang",
    }
    return requests.options(gateway.url + CHAT_PATH, headers=headers, timeout=30)


def test_browsers_of_configured_origins_may_ask(scripted, say):
    gateway = scripted({"server": {"cors_origins": [ORIGIN]}})
    answer = preflight(gateway, ORIGIN)
    assert answer.status_code in (200, 204)
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "POST" in answer.headers["Access-Control-Allow-Methods"]
    allowed = answer.headers["Access-Control-Allow-Headers"].lower()
    assert allowed == "*" or all(name in allowed for name in ("authorization", "content-type", "x-stainless-lang"))
    answer = requests.post(gateway.url + CHAT_PATH, json=say("hi"), headers={"Origin": ORIGIN}, timeout=30)
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert "x-request-id" in answer.headers["Access-Control-Expose-Headers"].lower()


def test_browsers_of_other_origins_may_not(scripted):
    gateway = scripted({"server": {"cors_origins": [ORIGIN]}})
    assert "Access-Control-Allow-Origin" not in preflight(gateway, "https://elsewhere.example").headers


def test_a_key_is_asked_for_where_one_is_configured(scripted, say):
    gateway = scripted({"server": {"api_keys": ["key-of-the-team"]}})
    ask = {"url": gateway.url + CHAT_PATH, "json": say("hi"), "timeout": 30}
    refused = requests.post(**ask)
    assert refused.status_code == 401
    assert refused.json()["error"]["message"]
    assert requests.post(**ask, headers={"Authorization": "Bearer key-of-another"}).status_code == 401
    assert requests.post(**ask, headers={"Authorization": "Bearer key-of-the-team"}).status_code == 200
    assert requests.get(f"{gateway.url}/health/live", timeout=30).status_code == 200, "probes need no key"
    assert "key-of-the-team" not in gateway.log_text()
