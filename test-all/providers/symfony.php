<?php
// Sends a mail by the bridge of each provider, and prints its transport and the id that the provider gave.
foreach (['', '/Bridge/Amazon', '/Bridge/Mailgun', '/Bridge/Postmark', '/Bridge/Sendgrid'] as $folder) {
    require "/usr/share/php/Symfony/Component/Mailer$folder/autoload.php";
}
require '/usr/share/php/Symfony/Component/HttpClient/autoload.php';

use App\LocalpostClient;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Header\MetadataHeader;
use Symfony\Component\Mailer\Header\TagHeader;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Email;

// The class of docs/guides/providers.md.
require $argv[1];

foreach (json_decode(getenv('DSNS'), true) as $dsn) {
    $name = strstr($dsn, ':', true);
    $email = (new Email())
        ->from(new Address('hi@acme.test', 'Acme'))
        ->to(new Address('ada@example.com', 'Ada'), 'bob@example.com')
        ->cc('carl@example.com')
        ->replyTo('help@acme.test')
        ->subject("Hello by $name")
        ->text('Your code is 482913')
        ->html('<p>Your code is 482913</p>')
        ->attach('bytes', 'bytes.txt', 'text/plain');
    // Neither SES nor a whole message has these.
    if (preg_match('/^(mailgun|postmark|sendgrid)\+api$/', $name)) {
        $email->getHeaders()->add(new TagHeader('welcome'))->add(new MetadataHeader('order', '17'));
    }
    foreach ([getenv('KEY'), 'unknown_key'] as $key) {
        try {
            $transport = Transport::fromDsn(str_replace('KEY', $key, $dsn), null, new LocalpostClient(HttpClient::create()));
            echo json_encode([$name, $transport->send(clone $email)->getMessageId()]), "\n";
        } catch (\Throwable $error) {
            echo json_encode(["$name, error", $error->getMessage()]), "\n";
        }
    }
}
