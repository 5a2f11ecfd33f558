// Sends each kind of mail with one of three packages, which the name of the set-up begins with.
package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/smtp"
	"net/textproto"
	"os"
	"strconv"
	"strings"

	"github.com/jordan-wright/email"
	mail "github.com/wneessen/go-mail"
	"gopkg.in/gomail.v2"
)

type kind struct {
	Subject, From, Text, Html, Calendar string
	To                                  []string
	Inline, Attachments                 [][]string
}

var setup, way, auth, password = os.Getenv("SETUP"), os.Getenv("WAY"), os.Getenv("AUTH"), os.Getenv("PASSWORD")
var port, _ = strconv.Atoi(os.Getenv("PORT"))
var untrusted = &tls.Config{InsecureSkipVerify: true}

func read(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	return content
}

func goMail(subject, name string, k kind) error {
	options := []mail.Option{mail.WithPort(port), mail.WithTLSPolicy(mail.NoTLS)}
	if way == "starttls" {
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory), mail.WithTLSConfig(untrusted))
	} else if way == "smtps" {
		options = append(options, mail.WithSSL(), mail.WithTLSConfig(untrusted))
	}
	if auth != "" {
		options = append(options, mail.WithSMTPAuth(mail.SMTPAuthType(auth)), mail.WithUsername("u"), mail.WithPassword(password))
	}
	if strings.HasSuffix(setup, "dsn") {
		options = append(options, mail.WithDSN())
	}
	client, err := mail.NewClient("127.0.0.1", options...)
	if err != nil {
		return err
	}
	message := mail.NewMsg()
	if name == "eightbit" {
		message.SetEncoding(mail.NoEncoding)
	}
	if err := message.From(k.From); err != nil {
		return err
	}
	if err := message.To(k.To...); err != nil {
		return err
	}
	message.Subject(subject)
	message.SetBodyString(mail.TypeTextPlain, k.Text)
	if k.Html != "" {
		message.AddAlternativeString(mail.TypeTextHTML, k.Html)
	}
	for _, file := range k.Inline {
		message.EmbedReader("logo.png", bytes.NewReader(read(file[1])), mail.WithFileContentID(file[0]), mail.WithFileContentType(mail.ContentType(file[2])))
	}
	for _, file := range k.Attachments {
		message.AttachReader(file[0], bytes.NewReader(read(file[1])), mail.WithFileContentType(mail.ContentType(file[2])))
	}
	if k.Calendar != "" {
		message.AddAlternativeString("text/calendar; method=REQUEST", string(read(k.Calendar)))
	}
	return client.DialAndSend(message)
}

func goMailV2(subject, _ string, k kind) error {
	message := gomail.NewMessage()
	message.SetHeader("From", k.From)
	message.SetHeader("To", k.To...)
	message.SetHeader("Subject", subject)
	message.SetBody("text/plain", k.Text)
	if k.Html != "" {
		message.AddAlternative("text/html", k.Html)
	}
	file := func(path, header, value string) []gomail.FileSetting {
		write := func(w io.Writer) error { _, err := w.Write(read(path)); return err }
		return []gomail.FileSetting{gomail.SetHeader(map[string][]string{header: {value}}), gomail.SetCopyFunc(write)}
	}
	for _, one := range k.Inline {
		message.Embed("logo.png", file(one[1], "Content-ID", "<"+one[0]+">")...)
	}
	for _, one := range k.Attachments {
		message.Attach(one[0], file(one[1], "Content-Type", one[2])...)
	}
	if k.Calendar != "" {
		message.AddAlternative("text/calendar; method=REQUEST", string(read(k.Calendar)))
	}
	return gomail.NewDialer("127.0.0.1", port, "", "").DialAndSend(message)
}

func jordanWright(subject, _ string, k kind) error {
	message := email.NewEmail()
	message.From, message.To, message.Subject = k.From, k.To, subject
	message.Text, message.HTML = []byte(k.Text), []byte(k.Html)
	for _, file := range k.Inline {
		image, err := message.Attach(bytes.NewReader(read(file[1])), "logo.png", file[2])
		if err != nil {
			return err
		}
		image.HTMLRelated = true
		image.Header = textproto.MIMEHeader{
			"Content-Id": {"<" + file[0] + ">"}, "Content-Type": {file[2]},
			"Content-Disposition": {"inline; filename=logo.png"}, "Content-Transfer-Encoding": {"base64"},
		}
	}
	for _, file := range k.Attachments {
		if _, err := message.Attach(bytes.NewReader(read(file[1])), file[0], file[2]); err != nil {
			return err
		}
	}
	// It has no invitations.
	return message.Send(fmt.Sprintf("127.0.0.1:%d", port), nil)
}

// netSMTP sends a message as text, as apps do that have no package for mail.
func netSMTP(subject, name string, k kind) error {
	text := "From: " + k.From + "\r\nTo: " + strings.Join(k.To, ",\r\n ") + "\r\nSubject: " + subject +
		"\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + strings.ReplaceAll(k.Text, "\n", "\r\n")
	address := func(one string) string { return strings.Trim(one[strings.LastIndex(one, "<")+1:], ">") }
	to := []string{}
	for _, one := range k.To {
		to = append(to, address(one))
	}
	return smtp.SendMail(fmt.Sprintf("127.0.0.1:%d", port), nil, address(k.From), to, []byte(text))
}

func main() {
	var kinds map[string]kind
	if err := json.Unmarshal(read(os.Getenv("KINDS")), &kinds); err != nil {
		panic(err)
	}
	send := map[string]func(string, string, kind) error{
		"go-mail": goMail, "gomail.v2": goMailV2, "jordan-wright": jordanWright, "net/smtp": netSMTP,
	}[strings.SplitN(setup, " ", 2)[0]]
	for name, k := range kinds {
		if err := send("["+setup+"/"+name+"] "+k.Subject, name, k); err != nil {
			fmt.Printf("%s\t%s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
		}
	}
}
