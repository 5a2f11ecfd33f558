# Runs against a Localpost server, where `mailgun` is installed: each line of the output is one result.
import json
import os
import time

from mailgun.client import Client

domain = "acme.test"
mail = {"from": "Acme <hi@acme.test>", "to": "ada@example.com", "subject": "Python", "text": "It works."}


def show(name, value):
    print(json.dumps([name, value]))


with Client(auth=("api", os.environ["MAILGUN_API_KEY"]), api_url=os.environ["MAILGUN_API_URL"]) as client:
    files = [("attachment", ("a.txt", b"bytes")), ("inline", ("logo.png", b"png"))]
    data = {**mail, "html": '<img src="cid:logo.png">', "o:tag": ["one", "two"], "v:order": "17"}
    sent = client.messages.create(data=data, files=files, domain=domain)
    show("send", [sent.status_code, sent.json()["message"]])
    filters = {"begin": "Tue, 24 Nov 2020 09:00:00 -0000", "ascending": "yes", "pretty": "yes", "event": "delivered OR failed"}
    for _ in range(200):
        found = client.events.get(domain=domain, filters={**filters, "message-id": sent.json()["id"]}).json()
        if found["items"]:
            break
        time.sleep(0.05)
    show("events", [found["items"][0]["event"], found["items"][0]["tags"]])
    added = client.bounces.create(data={"address": "gone@example.com", "code": 550}, domain=domain)
    got = client.bounces.get(domain=domain, bounce_address="gone@example.com")
    removed = client.bounces.delete(domain=domain, bounce_address="gone@example.com")
    show("bounces", [added.status_code, got.json()["address"], removed.status_code])
    wrong = client.messages.create(data={**mail, "to": "nobody"}, domain=domain)
    show("error", [wrong.status_code, "message" in wrong.json()])
