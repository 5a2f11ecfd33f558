<?php
// A Symfony app with the kernel, the mailer and the settings of its folder: its .env names the transport, as the DSN of the
// guide does, and its services.yaml decorates the HTTP client. Sends a mail as the app's own service does.
foreach (['', '/Bridge/Amazon', '/Bridge/Mailgun', '/Bridge/Postmark', '/Bridge/Sendgrid'] as $folder) {
    require "/usr/share/php/Symfony/Component/Mailer$folder/autoload.php";
}
foreach (['Component/HttpClient', 'Component/Dotenv', 'Component/Yaml', 'Bundle/FrameworkBundle'] as $part) {
    require "/usr/share/php/Symfony/$part/autoload.php";
}
$dir = $argv[1];
require "$dir/src/LocalpostClient.php";

use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\Dotenv\Dotenv;
use Symfony\Component\HttpKernel\Kernel as BaseKernel;
use Symfony\Component\Mailer\MailerInterface;
use Symfony\Component\Mime\Email;

class Kernel extends BaseKernel
{
    use MicroKernelTrait;

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
    }

    public function getProjectDir(): string
    {
        return $GLOBALS['dir'];
    }
}

class SignUp
{
    public function __construct(private MailerInterface $mailer)
    {
    }

    public function send(): void
    {
        $this->mailer->send((new Email())
            ->from('Acme <hi@acme.test>')
            ->to('ada@example.com')
            ->subject('Hello from the app')
            ->text('Your code is 482913')
            ->html('<p>Your code is 482913</p>'));
    }
}

(new Dotenv())->bootEnv("$dir/.env");
$kernel = new Kernel($_SERVER['APP_ENV'], false);
$kernel->boot();
$kernel->getContainer()->get('sign_up')->send();
echo "sent\n";
