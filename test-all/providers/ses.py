"""Runs boto3 against a Localpost server, and django-anymail's webhook view on what it posts: each line of the output is one result."""

import http.server
import json
import os
import threading
import urllib.request

import boto3
import django
from botocore.exceptions import ClientError
from django.conf import settings


def show(name, value):
    print(json.dumps([name, value]), flush=True)


def code_of(call, **given):
    try:
        call(**given)
    except ClientError as error:
        return error.response["Error"]["Code"]
    return "none"


def localpost(method, path, body=None):
    headers = {"authorization": f"Bearer {os.environ['AWS_ACCESS_KEY_ID']}", "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["LOCALPOST_URL"] + path, data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def version_1():
    client = boto3.client("ses")
    mail = {
        "Source": "Acme <hi@acme.test>",
        "Destination": {"ToAddresses": ["ada@example.com"]},
        "Message": {"Subject": {"Data": "Version 1"}, "Body": {"Text": {"Data": "It works."}}},
    }
    sent = client.send_email(**mail)["MessageId"]
    raw = b"From: hi@acme.test\r\nTo: ada@example.com\r\nSubject: Raw\r\n\r\nx\r\n"
    client.send_raw_email(RawMessage={"Data": raw})
    client.verify_email_identity(EmailAddress="hi@acme.test")
    show(
        "version 1",
        {
            "sent": sent,
            "quota": client.get_send_quota()["SentLast24Hours"],
            "address": code_of(client.send_email, **{**mail, "Destination": {"ToAddresses": ["nobody"]}}),
            "unsupported": code_of(client.list_identities),
        },
    )


def version_2():
    client = boto3.client("sesv2")
    sent = client.send_email(
        FromEmailAddress="Acme <hi@acme.test>",
        Destination={"ToAddresses": ["ada@example.com"]},
        Content={"Simple": {"Subject": {"Data": "Version 2"}, "Body": {"Text": {"Data": "It works."}}}},
    )
    show("version 2", {"sent": sent["MessageId"], "missing": code_of(client.get_email_template, TemplateName="none")})


def events():
    # SNS itself is not there, so anymail must not call ConfirmSubscription.
    settings.configure(ANYMAIL={"AMAZON_SES_AUTO_CONFIRM_SNS_SUBSCRIPTIONS": False}, ALLOWED_HOSTS=["*"])
    django.setup()
    from anymail.signals import tracking
    from anymail.webhooks.amazon_ses import AmazonSESTrackingWebhookView
    from django.test import RequestFactory

    posted = []
    arrived = threading.Semaphore(0)

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()
            arrived.release()

        def log_message(self, *_):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    webhook = localpost("POST", "/dev/webhooks", {"url": f"http://127.0.0.1:{server.server_port}/", "shape": "ses"})
    assert arrived.acquire(timeout=60)
    subscribe_url = json.loads(posted[0][1])["SubscribeURL"]
    status = urllib.request.urlopen(subscribe_url).status
    shown = localpost("GET", "/dev/webhooks")["webhooks"]
    show("confirmed", [status, any("confirmed" in one for one in shown if one["id"] == webhook["id"])])
    client = boto3.client("sesv2")
    sent = [
        client.send_email(
            FromEmailAddress="hi@acme.test",
            Destination={"ToAddresses": [f"{name}@simulator.amazonses.com"]},
            Content={"Simple": {"Subject": {"Data": name}, "Body": {"Text": {"Data": "x"}}}},
            EmailTags=[{"Name": "order", "Value": "17"}],
        )["MessageId"]
        for name in ("bounce", "complaint")
    ]
    # Each is sent; the first bounces; the second is delivered, and complained of.
    for _ in range(5):
        assert arrived.acquire(timeout=60)
    seen = []

    def receive(event, **_):
        seen.append([event.event_type, event.message_id in sent, event.recipient, event.reject_reason])

    tracking.connect(receive)
    view = AmazonSESTrackingWebhookView.as_view()
    for headers, body in posted:
        given = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
        request = RequestFactory().post("/", body, content_type=headers["content-type"], **given)
        assert view(request).status_code == 200
    server.shutdown()
    localpost("DELETE", f"/dev/webhooks/{webhook['id']}")
    show("events", sorted(seen))


for step in (version_1, version_2, events):
    step()
