<?php
require '/usr/share/php/libphp-phpmailer/autoload.php';
use PHPMailer\PHPMailer\PHPMailer;

['PORT' => $port, 'WAY' => $way, 'AUTH' => $auth, 'PASSWORD' => $password, 'SETUP' => $setup] = getenv();
foreach (json_decode(file_get_contents(getenv('KINDS')), true) as $name => $kind) {
    try {
        $mail = new PHPMailer(true);
        $mail->isSMTP();
        $mail->Host = '127.0.0.1';
        $mail->Port = (int) $port;
        $mail->CharSet = 'UTF-8';
        if ($way !== 'default') {
            $mail->SMTPAutoTLS = false;
            $mail->SMTPSecure = ['plain' => '', 'starttls' => 'tls', 'smtps' => 'ssl'][$way];
            $mail->SMTPOptions = ['ssl' => ['verify_peer' => false, 'verify_peer_name' => false, 'allow_self_signed' => true]];
        }
        if ($auth !== '') {
            $mail->SMTPAuth = true;
            $mail->AuthType = $auth;
            $mail->Username = 'u';
            $mail->Password = $password;
        }
        if ($name === 'eightbit') $mail->Encoding = '8bit';
        preg_match('/^(?:(.*) <)?([^<>]+)>?$/u', $kind['from'], $from);
        $mail->setFrom($from[2], $from[1]);
        foreach ($kind['to'] as $address) {
            preg_match('/^(?:(.*) <)?([^<>]+)>?$/u', $address, $to);
            $mail->addAddress($to[2], $to[1]);
        }
        $mail->Subject = "[$setup/$name] " . $kind['subject'];
        $mail->Body = $kind['html'] ?? $kind['text'];
        if (isset($kind['html'])) {
            $mail->isHTML();
            $mail->AltBody = $kind['text'];
        }
        foreach ($kind['inline'] ?? [] as [$cid, $path, $type])
            $mail->addStringEmbeddedImage(file_get_contents($path), $cid, 'logo.png', 'base64', $type);
        foreach ($kind['attachments'] ?? [] as [$file, $path, $type])
            $mail->addStringAttachment(file_get_contents($path), $file, 'base64', $type);
        if (isset($kind['calendar'])) $mail->Ical = file_get_contents($kind['calendar']);
        $mail->send();
    } catch (\Throwable $error) {
        echo "$name\t", strtr($error->getMessage(), "\n", ' '), "\n";
    }
}
