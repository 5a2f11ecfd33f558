// Makes the calls of testcontainers' Mailpit module for Go, with a process in place of the container: the variables that the
// module sets, its wait for /readyz at port 8025, and what a test does then. The Go proxy does not serve the module itself.
package mailpit

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/smtp"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/network"
	"github.com/testcontainers/testcontainers-go/wait"
)

const key = "lp_test"

// process is what the strategy asks a container for.
type process struct {
	wait.StrategyTarget
	ports map[string]string
}

func (p *process) Host(context.Context) (string, error) { return "127.0.0.1", nil }

func (p *process) MappedPort(_ context.Context, port string) (network.Port, error) {
	return network.ParsePort(p.ports[port] + "/tcp")
}

func (p *process) State(context.Context) (*container.State, error) {
	return &container.State{Running: true}, nil
}

var address = regexp.MustCompile(`^\s*(Page|SMTP)\s+\S*:(\d+)$`)

func start(t *testing.T, variables ...string) *process {
	// The image sets the first two, so a test of a container has to know the key.
	command := exec.Command(os.Getenv("NODE"), os.Getenv("LOCALPOST"), "--port=0", "--smtp-port=0")
	own := []string{"LOCALPOST_HOST=0.0.0.0", "LOCALPOST_DIR=" + t.TempDir(), "LOCALPOST_API_KEY=" + key}
	command.Env = append(append(os.Environ(), own...), variables...)
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = command.Process.Signal(os.Interrupt)
		_ = command.Wait()
	})
	started := &process{ports: map[string]string{}}
	names := map[string]string{"Page": "8025/tcp", "SMTP": "1025/tcp"}
	lines := bufio.NewScanner(output)
	for len(started.ports) < 2 && lines.Scan() {
		if found := address.FindStringSubmatch(lines.Text()); found != nil {
			started.ports[names[found[1]]] = found[2]
		}
	}
	go func() {
		for lines.Scan() {
		}
	}()
	strategy := wait.ForHTTP("/readyz").WithPort("8025/tcp").WithStatusCodeMatcher(func(status int) bool { return status == 200 })
	if err := strategy.WaitUntilReady(context.Background(), started); err != nil {
		t.Fatal(err)
	}
	return started
}

func subjects(t *testing.T, mailpit *process) []string {
	request, _ := http.NewRequest("GET", "http://127.0.0.1:"+mailpit.ports["8025/tcp"]+"/api/v1/messages", nil)
	request.SetBasicAuth("any", key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var list struct{ Messages []struct{ Subject string } }
	if err := json.NewDecoder(answer.Body).Decode(&list); err != nil || answer.StatusCode != 200 {
		t.Fatal(answer.Status, err)
	}
	found := []string{}
	for _, message := range list.Messages {
		found = append(found, message.Subject)
	}
	return found
}

func send(t *testing.T, mailpit *process, subject string, auth smtp.Auth) {
	message := []byte("Subject: " + subject + "\r\n\r\nIt works.\r\n")
	endpoint := "127.0.0.1:" + mailpit.ports["1025/tcp"]
	if err := smtp.SendMail(endpoint, auth, "a@example.com", []string{"b@example.com"}, message); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	mailpit := start(t)
	send(t, mailpit, "Hello", nil)
	if found := subjects(t, mailpit); len(found) != 1 || found[0] != "Hello" {
		t.Fatal(found)
	}
}

func TestWithSMTPAuth(t *testing.T) {
	mailpit := start(t, "MP_SMTP_AUTH=user:password", "MP_SMTP_AUTH_ALLOW_INSECURE=true")
	send(t, mailpit, "Signed in", smtp.PlainAuth("", "user", "password", "127.0.0.1"))
	if found := subjects(t, mailpit); len(found) != 1 || found[0] != "Signed in" {
		t.Fatal(found)
	}
}

func TestWithMessageLimit(t *testing.T) {
	mailpit := start(t, "MP_MAX_MESSAGES=2")
	for _, subject := range []string{"One", "Two", "Three"} {
		send(t, mailpit, subject, nil)
	}
	// The oldest are removed soon afterwards.
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		found := subjects(t, mailpit)
		if len(found) == 2 && found[0] == "Three" && found[1] == "Two" {
			return
		}
		if time.Now().After(end) {
			t.Fatal(found)
		}
	}
}
