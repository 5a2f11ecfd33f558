//! Sends each kind of mail with lettre.
use lettre::message::header::{ContentTransferEncoding, ContentType};
use lettre::message::{Attachment, Body, Mailbox, MultiPart, SinglePart};
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::{Message, SmtpTransport, Transport};
use serde_json::Value;
use std::{env, error::Error, fs};

type Outcome<T> = Result<T, Box<dyn Error>>;

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn build(setup: &str, name: &str, kind: &Value) -> Outcome<Message> {
    let subject = format!("[{setup}/{name}] {}", text(&kind["subject"]));
    let mut message = Message::builder().from(text(&kind["from"]).parse::<Mailbox>()?).subject(subject);
    for to in list(&kind["to"]) {
        message = message.to(text(&to).parse::<Mailbox>()?);
    }
    let plain = text(&kind["text"]);
    let html = text(&kind["html"]);
    if let Some(image) = list(&kind["inline"]).first() {
        let file = Attachment::new_inline(text(&image[0]))
            .body(fs::read(text(&image[1]))?, ContentType::parse(&text(&image[2]))?);
        let related = MultiPart::related().singlepart(SinglePart::html(html)).singlepart(file);
        let parts = MultiPart::alternative().singlepart(SinglePart::plain(plain)).multipart(related);
        return Ok(message.multipart(parts)?);
    }
    if !html.is_empty() {
        return Ok(message.multipart(MultiPart::alternative_plain_html(plain, html))?);
    }
    let files = list(&kind["attachments"]);
    if !files.is_empty() {
        let mut parts = MultiPart::mixed().singlepart(SinglePart::plain(plain));
        for file in files {
            let content_type = ContentType::parse(&text(&file[2]))?;
            parts = parts.singlepart(Attachment::new(text(&file[0])).body(fs::read(text(&file[1]))?, content_type));
        }
        return Ok(message.multipart(parts)?);
    }
    if let Some(path) = kind["calendar"].as_str() {
        let invitation = SinglePart::builder()
            .header(ContentType::parse("text/calendar; method=REQUEST")?)
            .body(fs::read_to_string(path)?);
        let parts = MultiPart::alternative().singlepart(SinglePart::plain(plain)).singlepart(invitation);
        return Ok(message.multipart(parts)?);
    }
    message = message.header(ContentType::TEXT_PLAIN);
    if name == "eightbit" {
        let body = Body::new_with_encoding(plain, ContentTransferEncoding::EightBit).map_err(|_| "encoding")?;
        return Ok(message.body(body)?);
    }
    Ok(message.body(plain)?)
}

fn main() -> Outcome<()> {
    let given = |name: &str| env::var(name).unwrap_or_default();
    let tls = || TlsParameters::builder("localhost".into()).dangerous_accept_invalid_certs(true).build();
    let mut transport = SmtpTransport::builder_dangerous("127.0.0.1").port(given("PORT").parse()?);
    match given("WAY").as_str() {
        "starttls" => transport = transport.tls(Tls::Required(tls()?)),
        "smtps" => transport = transport.tls(Tls::Wrapper(tls()?)),
        _ => {}
    }
    let auth = given("AUTH");
    if !auth.is_empty() {
        let mechanism = if auth == "LOGIN" { Mechanism::Login } else { Mechanism::Plain };
        transport = transport
            .credentials(Credentials::new("u".into(), given("PASSWORD")))
            .authentication(vec![mechanism]);
    }
    let transport = transport.build();
    let kinds: Value = serde_json::from_slice(&fs::read(given("KINDS"))?)?;
    for (name, kind) in kinds.as_object().ok_or("kinds")? {
        let sent = build(&given("SETUP"), name, kind).and_then(|message| Ok(transport.send(&message)?));
        if let Err(error) = sent {
            println!("{name}\t{error}");
        }
    }
    Ok(())
}
