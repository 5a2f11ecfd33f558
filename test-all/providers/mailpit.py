# Uses the Mailpit module of testcontainers unchanged, with a process in place of what Docker would run: the variables that the
# module sets, the words in the log that it waits for, and the addresses that it gives. Each line of the output is one result.
import json
import os
import smtplib
import subprocess
import urllib.request

import testcontainers.core.container as core


class Process:
    """What a container is asked for."""

    def start(self):
        self._configure()
        self.log = open('mailpit.log', 'w+b')
        self.process = subprocess.Popen(
            [os.environ['NODE'], os.environ['LOCALPOST'], '--memory', '--port=0', '--smtp-port=0'],
            env={**os.environ, **self.env},
            stdout=self.log,
            stderr=subprocess.STDOUT,
        )
        return self

    def stop(self, *args, **kwargs):
        self.process.terminate()
        self.process.wait()

    def get_logs(self):
        with open('mailpit.log', 'rb') as log:
            return log.read(), b''

    def get_wrapped_container(self):
        return self

    status = 'running'

    def reload(self):
        pass

    def get_container_host_ip(self):
        return '127.0.0.1'

    def get_exposed_port(self, port):
        label = 'SMTP' if port == self.smtp_port else 'Page'
        lines = [line.split() for line in self.get_logs()[0].decode().splitlines()]
        return next(int(line[1].rsplit(':', 1)[1]) for line in lines if line[:1] == [label])


core.DockerClient = lambda **_: None
for name in [name for name in vars(Process) if not name.startswith('__')]:
    setattr(core.DockerContainer, name, getattr(Process, name))

from testcontainers.community.mailpit import MailpitContainer  # noqa: E402


def show(name, value):
    print(json.dumps([name, value]))


with MailpitContainer() as mailpit:
    server = smtplib.SMTP(mailpit.get_container_host_ip(), mailpit.get_exposed_smtp_port())
    show('login', server.login('any', 'auth')[0])
    server.sendmail('a@example.com', ['b@example.com'], 'Subject: Hello\r\n\r\nIt works.\r\n')
    server.quit()
    url = mailpit.get_base_api_url()
    with urllib.request.urlopen(url + '/api/v1/messages') as answer:
        show('messages', [message['Subject'] for message in json.load(answer)['messages']])
    with urllib.request.urlopen(url + '/readyz') as answer:
        show('readyz', answer.status)
    words = mailpit.get_logs()[0].decode().split()
    show('warnings', sorted({word for word in words if word.startswith('MP_')}))
