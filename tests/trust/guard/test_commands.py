"""Secrets in commands, settings and calls: the forms of tools, and what only looks alike."""

from __future__ import annotations

import pytest

from loxodon.trust.guard.guard import Guard
from loxodon.trust.guard.policy import built_in
from loxodon.trust.guard.signs import has_sign
from tests.each import each

HEX32 = "9f3c1e7ab2d4586071c9e0fa34b6d825"
HEX64 = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318"
XPRV = (
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kej"
    "MRNNU3TGtRBeJgk33yuGBxrMPHi"
)
WORDS = "ripple scissors kick mammal hire column oak again sun offer wealth tomorrow"


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


@each(
    ("text", "secret"),
    [
        ("smbclient //nas/media -U kate%Tulip_2020", "Tulip_2020"),
        ("mount -t cifs //srv/x /mnt -o username=bob,password=Marble44x", "Marble44x"),
        ("ldapsearch -x -D cn=admin,dc=corp -w Kx90210zq -b dc=corp", "Kx90210zq"),
        ("mongosh --host db1 -u root -p 'Otter5512x' admin", "Otter5512x"),
        ("7z x backup.7z -pLotus5521", "Lotus5521"),
        ("unzip -P gardenGnome7 photos.zip", "gardenGnome7"),
        ("openssl enc -d -aes-256-cbc -in a.enc -k Violet!8841", "Violet!8841"),
        ("openssl rsa -in key.pem -passin pass:Br1dge77", "Br1dge77"),
        ("docker login -u acme -p Harbor_7781 registry.example.com", "Harbor_7781"),
        ("sqlcmd -S tcp:db -U sa -P Sp4rrow#22", "Sp4rrow#22"),
        ("ipmitool -I lanplus -H 10.0.0.5 -U ADMIN -P Calvin2211 power status", "Calvin2211"),
        ("keytool -list -keystore a.jks -storepass Keyst0re9", "Keyst0re9"),
        ("xfreerdp /v:10.1.1.4 /u:kate /p:Marmalade56", "Marmalade56"),
        ("gpg --batch --passphrase Walrus7712 -d a.gpg", "Walrus7712"),
        ("rar a -hpCobalt!31 x.rar docs", "Cobalt!31"),
        ("wget --http-user=kate --http-password=Sn0wfall9 https://x.example/f", "Sn0wfall9"),
        ("db.internal:5432:orders:svc_app:Kq7Lm2Zx9", "Kq7Lm2Zx9"),
        ("localhost:*:*:postgres:Kq7Lm2Zx9", "Kq7Lm2Zx9"),
        (r"net use Z: \\nas\share Tulip_2020 /user:kate", "Tulip_2020"),
        (r"net use \\nas\share /user:corp\kate Tulip_2020", "Tulip_2020"),
        ("net user bob Marble44x /add", "Marble44x"),
        ('{"auths":{"r.example.com":{"auth":"a2F0ZTpUdWxpcF8yMDIw"}}}', "a2F0ZTpUdWxpcF8yMDIw"),
        ("echo Harbor_7781 | docker login -u acme --password-stdin", "Harbor_7781"),
        ("echo 'Marble44x' | sudo -S apt update", "Marble44x"),
        ("echo 'bob:Marble44x' | sudo chpasswd", "Marble44x"),
        (f"deployer key 0x{HEX64}", HEX64),
        (f"import this into metamask: 0x{HEX64}", HEX64),
        (f"PRIVATE_KEY=0x{HEX64}", HEX64),
        (f"here it is {XPRV}", XPRV),
        (f"config/master.key is {HEX32}", HEX32),
        (f"the rails key: {HEX32}", HEX32),
        (WORDS, "scissors kick"),
        (WORDS.replace(" ", ", "), "scissors, kick"),
        (WORDS.replace(" ", ","), "scissors,kick"),
        (f"write these down somewhere safe: {WORDS} and tell nobody", "scissors kick"),
        ("url=jdbc:oracle:thin:scott/t1ger99@//db:1521/orcl", "t1ger99"),
        ("sqlplus scott/t1ger99@orcl", "t1ger99"),
        ('network={\n ssid="Home"\n psk="bluewhale19"\n}', "bluewhale19"),
        (f'client = Client("AC{HEX32}", "{HEX32[::-1]}")', HEX32[::-1]),
        (f"const c = require('twilio')('AC{HEX32}', '{HEX32[::-1]}');", HEX32[::-1]),
        (f'boto3.client("s3", "eu-west-1", Auth("acme", "{HEX32}"))', HEX32),
        ("htpasswd -b .htpasswd kate Tulip_2020", "Tulip_2020"),
        ("wpa_passphrase HomeNet bluewhale19", "bluewhale19"),
    ],
)
def test_it_is_not_kept(guard: Guard, text: str, secret: str) -> None:
    assert secret not in guard.clean(text)
    assert has_sign(text)


@each(
    "text",
    [
        "mkdir -p build/output && cp -p a.txt build",
        "docker run -p 8080:80 -p 127.0.0.1:5432:5432 web",
        "ssh -p 2222 host.example.com",
        "unzip -p archive.zip readme.txt | less",
        "grep -w password src/main.c",
        "openssl enc -aes-256-cbc -k $SECRET -in a",
        "ldapsearch -W -D cn=admin",
        "docker login --password-stdin < token.txt",
        "echo done | tee log.txt",
        f"tx 0x{HEX64} was mined",
        f"the transaction hash is 0x{HEX64}",
        f"md5 of the file: {HEX32}",
        f"the cache key is {HEX32}",
        "12:30:45:00:17 is the timecode",
        "a:1:b:c:d",
        "net use only lists the shares",
        'print("hello there", "configuration.yaml")',
        'os.path.join("/usr/local/share", "dictionary-words")',
        "the river runs past the old mill and then turns back toward the wide green hill",
        "jdbc:oracle:thin:@//db:1521/orcl",
        "psk=",
    ],
)
def test_what_only_looks_like_it_stays(guard: Guard, text: str) -> None:
    assert guard.shown(guard.clean(text), private=True) == text
