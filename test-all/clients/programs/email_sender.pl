use strict;
use warnings;
use JSON::PP;
use Email::MIME;
use Email::Sender::Simple qw(sendmail);
use Email::Sender::Transport::SMTP;
binmode STDOUT, ':utf8';

sub slurp { local $/; open my $file, '<:raw', $_[0] or die $!; return scalar <$file> }
my $kinds = decode_json(slurp($ENV{KINDS}));

my %options = (host => '127.0.0.1', port => $ENV{PORT}, ssl_options => { SSL_verify_mode => 0 });
$options{ssl} = $ENV{WAY} eq 'smtps' ? 'ssl' : 'starttls' if $ENV{WAY} ne 'plain';
@options{qw(sasl_username sasl_password)} = ('u', $ENV{PASSWORD}) if $ENV{AUTH};
my $transport = Email::Sender::Transport::SMTP->new(\%options);

sub part { my ($type, %more) = @_; return Email::MIME->create(attributes => { content_type => $type, encoding => 'base64', %{ $more{attributes} || {} } }, $more{header} ? (header => $more{header}) : (), body => $more{body}) }
sub text_part { my ($type, $text, $encoding) = @_; return Email::MIME->create(attributes => { content_type => $type, charset => 'UTF-8', encoding => $encoding || 'quoted-printable' }, body_str => $text) }

for my $name (sort keys %$kinds) {
    my $kind = $kinds->{$name};
    eval {
        my @parts = text_part('text/plain', $kind->{text}, $name eq 'eightbit' ? '8bit' : undef);
        push @parts, text_part('text/html', $kind->{html}) if $kind->{html};
        push @parts, part($_->[2], attributes => { disposition => 'inline', filename => 'logo.png' }, header => ['Content-ID' => "<$_->[0]>"], body => slurp($_->[1])) for @{ $kind->{inline} || [] };
        push @parts, part($_->[2], attributes => { disposition => 'attachment', filename => $_->[0], name => $_->[0] }, body => slurp($_->[1])) for @{ $kind->{attachments} || [] };
        if ($kind->{calendar}) {
            push @parts, part('text/calendar', body => slurp($kind->{calendar}));
            $parts[-1]->header_raw_set('Content-Type', 'text/calendar; charset=UTF-8; method=REQUEST');
        }
        my @header = (header_str => [From => $kind->{from}, To => join(', ', @{ $kind->{to} }), Subject => "[$ENV{SETUP}/$name] $kind->{subject}"]);
        my $multipart = $kind->{inline} ? 'related' : $kind->{html} || $kind->{calendar} ? 'alternative' : 'mixed';
        my $message;
        if (@parts > 1) { $message = Email::MIME->create(@header, attributes => { content_type => "multipart/$multipart" }, parts => \@parts) }
        else { $message = $parts[0]; $message->header_str_set(splice @{ $header[1] }, 0, 2) while @{ $header[1] } }
        # Over TLS, it waits for ever to write an address with other characters than bytes.
        local $SIG{ALRM} = sub { die "it waits for ever\n" };
        alarm 10;
        sendmail($message, { transport => $transport });
        alarm 0;
        1;
    } or print "$name\t" . (split /\n/, "$@")[0] . "\n";
}
