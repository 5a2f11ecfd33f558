from email.message import EmailMessage
from smtplib import SMTP

import pytest
from pytest_localpost import LocalpostError


def send(localpost, text):
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "app@acme.test", "ada@example.com", "Sign in"
    mail.set_content(text)
    smtp = localpost.smtp
    with SMTP(smtp["host"], smtp["port"]) as server:
        server.login(smtp["username"], smtp["password"])
        server.send_message(mail)


def test_code_and_link(localpost):
    send(localpost, "Your code is 482913. https://acme.test/home https://acme.test/reset?t=1")
    mail = localpost.wait_for(to="ada@example.com", query="subject:sign")
    assert mail.code == "482913"
    assert mail.link("reset") == "https://acme.test/reset?t=1"
    assert [one["id"] for one in localpost.mails()] == [mail["id"]]


def test_begins_without_mail(localpost):
    assert localpost.mails() == []
    send(localpost, "Nothing to see.")
    mail = localpost.wait_for(to="ada@example.com")
    with pytest.raises(AssertionError, match="has no code"):
        mail.code
    with pytest.raises(LocalpostError, match="within 100 ms") as error:
        localpost.wait_for(to="ada@example.com", timeout=0.1, after=mail["id"])
    assert error.value.code == "wait_timeout"
