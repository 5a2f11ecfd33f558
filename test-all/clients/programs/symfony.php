<?php
require '/usr/share/php/Symfony/Component/Mailer/autoload.php';
require '/usr/share/php/Symfony/Component/Mime/autoload.php';
use Symfony\Component\Mailer\Mailer;
use Symfony\Component\Mailer\Transport;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Email;

['PORT' => $port, 'WAY' => $way, 'AUTH' => $auth, 'PASSWORD' => $password, 'SETUP' => $setup] = getenv();
$user = $auth === '' ? '' : "u:$password@";
$query = ['plain' => 'auto_tls=false', 'default' => '', 'starttls' => 'verify_peer=0', 'smtps' => 'verify_peer=0'][$way];
$mailer = new Mailer(Transport::fromDsn(($way === 'smtps' ? 'smtps' : 'smtp') . "://{$user}127.0.0.1:$port?$query"));
foreach (json_decode(file_get_contents(getenv('KINDS')), true) as $name => $kind) {
    try {
        $mail = (new Email())->from($kind['from'])->subject("[$setup/$name] " . $kind['subject'])->text($kind['text']);
        foreach ($kind['to'] as $to) $mail->addTo(Address::create($to));
        if (isset($kind['html'])) $mail->html($kind['html']);
        foreach ($kind['inline'] ?? [] as [$cid, $path, $type]) {
            // It finds the image of a cid by its name.
            $mail->html(str_replace("cid:$cid", 'cid:logo.png', $kind['html']));
            $mail->embed(file_get_contents($path), 'logo.png', $type);
        }
        foreach ($kind['attachments'] ?? [] as [$file, $path, $type]) $mail->attach(file_get_contents($path), $file, $type);
        if (isset($kind['calendar'])) $mail->attach(file_get_contents($kind['calendar']), 'invite.ics', 'text/calendar');
        $mailer->send($mail);
    } catch (\Throwable $error) {
        echo "$name\t", strtr($error->getMessage(), "\n", ' '), "\n";
    }
}
