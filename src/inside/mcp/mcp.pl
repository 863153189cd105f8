#!/usr/bin/perl
# The command `mcp`: its words and, where they ask for it, its standard input go to the host, which does the rest. What
# the host answers is printed. Perl, because it starts in a few milliseconds and most systems have it; `mcp.mjs` is the
# same for those that do not.
use strict;

my $place = $ENV{SALLYPORT_HATCH} || '/run/sallyport/hatch/socket';
my @fields = (['method', 'shell'], map { ['word', $_] } @ARGV);
push @fields, ['run', $ENV{SALLYPORT_RUN}] if defined $ENV{SALLYPORT_RUN};
push @fields, ['stdin', all_of(\*STDIN)] if wants_input(@ARGV);

# 1, 1: a stream over a Unix socket. The module with the names for it takes longer than the rest.
my $host;
socket($host, 1, 1, 0) && connect($host, pack('S a*', 1, "$place\0")) or quit("the host cannot be reached: $!");
binmode $_ for $host, *STDOUT, *STDERR;
{
    # A host that refuses before it has read everything says so.
    local $SIG{PIPE} = 'IGNORE';
    put($host, join '', 'call ' . @fields . "\n", map { "$_->[0] " . length($_->[1]) . "\n$_->[1]\n" } @fields);
}

my $exit = 1;
my (undef, $count) = header();
for (1 .. $count) {
    my ($name, $left) = header();
    my $value = '';
    while ($left > 0) {
        my $got = sysread($host, my $piece, $left < 65536 ? $left : 65536) or quit('the host does not answer');
        $left -= $got;
        if ($name eq 'out') { put(\*STDOUT, $piece) or exit 141 }
        elsif ($name eq 'err') { put(\*STDERR, $piece) }
        else { $value .= $piece }
    }
    sysread($host, my $end, 1);
    $exit = $value if $name eq 'exit';
}
exit $exit;

# `-` and `KEY@=-` name it; a call without arguments takes them from a pipe.
sub wants_input {
    my ($verb, @rest) = @_;
    return 0 unless defined $verb && $verb eq 'call';
    return 1 if grep { $_ eq '-' || /^[^=]+\@=-$/ } @rest;
    my @plain = grep { $rest[$_] !~ /^--/ && !($_ && $rest[$_ - 1] eq '--timeout') } 0 .. $#rest;
    return @plain <= 2 && -p STDIN;
}

sub all_of {
    my ($file) = @_;
    local $/;
    binmode $file;
    my $text = <$file>;
    return defined $text ? $text : '';
}

sub put {
    my ($file, $bytes) = @_;
    for (my $at = 0; $at < length $bytes;) {
        my $done = syswrite($file, $bytes, length($bytes) - $at, $at) or return 0;
        $at += $done;
    }
    return 1;
}

sub header {
    my $line = '';
    for (;;) {
        sysread($host, my $character, 1) or quit('the host does not answer');
        last if $character eq "\n";
        $line .= $character;
    }
    return split / /, $line;
}

sub quit {
    print STDERR "mcp: $_[0]\n";
    exit 1;
}
