"""GET /docs in a real browser: it shows the endpoints, tries one of them, and asks nobody but the gateway."""

import json
import shutil

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

SECONDS = 60
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --window-size=1300,1600"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in FLAGS.split():
        options.add_argument(flag)
    options.add_argument(f"--user-data-dir={tmp_path_factory.mktemp('browser')}")
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    yield driver
    driver.quit()


def requested_urls(browser) -> list[str]:
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def block_of(browser, method: str, path: str):
    """Swagger UI's block of one operation."""
    for block in browser.find_elements(By.CSS_SELECTOR, f".opblock-{method}"):
        shown = block.find_element(By.CSS_SELECTOR, ".opblock-summary-path").text.replace("\u200b", "")
        if shown == path:
            return block
    return None


def test_the_page_lists_and_tries_endpoints(gateway, browser, build):
    browser.get(f"{gateway.url}/docs")
    wait = WebDriverWait(browser, SECONDS)
    wait.until(lambda _: block_of(browser, "post", "/v1/chat/completions"))
    assert block_of(browser, "post", "/v1/images/generations")

    models = block_of(browser, "get", "/v1/models")
    models.find_element(By.CSS_SELECTOR, ".opblock-summary-control").click()
    if not models.find_elements(By.CSS_SELECTOR, ".execute"):
        wait.until(lambda _: models.find_elements(By.CSS_SELECTOR, ".try-out__btn"))
        if not models.find_elements(By.CSS_SELECTOR, ".execute"):
            models.find_element(By.CSS_SELECTOR, ".try-out__btn").click()
    wait.until(lambda _: models.find_elements(By.CSS_SELECTOR, ".execute"))
    models.find_element(By.CSS_SELECTOR, ".execute").click()
    wait.until(lambda _: models.find_elements(By.CSS_SELECTOR, ".live-responses-table .response-col_status"))
    answer = models.find_element(By.CSS_SELECTOR, ".live-responses-table").text
    browser.save_screenshot(str(build / "test-logs/docs.png"))
    assert "200" in answer
    assert "smollm2-135m-instruct" in answer

    foreign = [url for url in requested_urls(browser) if not url.startswith((gateway.url, "data:", "blob:", "chrome:"))]
    assert not foreign
    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not errors
