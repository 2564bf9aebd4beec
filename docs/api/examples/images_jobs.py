import os
import threading
import time

import requests

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
request = {
    "model": "random-weights-sd-nano",
    "prompt": "a lighthouse in a storm, oil painting",
    "size": "256x256",
    "steps": 200,
}
answers = []


def draw():
    answers.append(requests.post(f"{url}/v1/images/generations", json=request))


drawing = threading.Thread(target=draw)
drawing.start()

job = None
while job is None or (job["status"] == "in_progress" and job["step"] < 2) or job["status"] == "queued":
    time.sleep(0.05)
    jobs = requests.get(f"{url}/v1/images/jobs").json()["data"]
    job = next((each for each in reversed(jobs) if each["steps"] == 200), None)
print(job["status"], "step", job["step"], "of", job["steps"], "predicted seconds", job.get("predicted_seconds"))

print(requests.post(f"{url}/v1/images/jobs/{job['id']}/cancel").json()["status"])
drawing.join()
print(answers[0].status_code, answers[0].json()["error"]["message"])
