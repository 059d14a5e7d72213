"""A second set, written after the rules: sentences and formats they had not met.

When it was first measured 95.0% of its secrets were stopped, 99.95% of its personal data masked, and 1
of 151 honest texts alarmed. The rules were mended since, so it measures no longer what is new to them.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.attacks import personal_cases as personal
from tests.attacks.secret_cases import (
    ALNUM,
    BASE32,
    DIGITS,
    HEX,
    LOWER,
    UPPER,
    URL64,
    Case,
    Make,
    form,
    jwt,
    private_key,
    some,
    uuid,
)
from tests.attacks.typed import rows

_B64 = ALNUM + "+/"


def _putty(rng: Random) -> str:
    lines = "\n".join(some(_B64, 64)(rng) for _ in range(3))
    return (
        f"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPublic-Lines: 2\n{lines}\n"
        f"Private-Lines: 1\n{some(_B64, 48)(rng)}\nPrivate-MAC: {some(HEX, 64)(rng)}"
    )


def _cut_key(rng: Random) -> str:
    return private_key(rng).rpartition("\n-----END")[0]


def _escaped_key(rng: Random) -> str:
    return private_key(rng).replace("\n", "\\n")


def _strong(rng: Random) -> str:
    return rng.choice(
        (
            f"{some(UPPER, 1)(rng)}{some(LOWER, 6)(rng)}{some(DIGITS, 3)(rng)}{rng.choice('!#&*')}",
            f"{some(LOWER, 4)(rng)}-{some(LOWER, 4)(rng)}-{some(DIGITS, 3)(rng)}",
            f"{some(ALNUM, 10)(rng)}{rng.choice('!@')}4z",
            f"{some(LOWER, 5)(rng)}{some(DIGITS, 4)(rng)}",
        )
    )


SECRETS: tuple[tuple[str, str, Make, str], ...] = (
    # form
    ("en", "rotate this one today -> {}", form("glrt-", some(URL64, 20)), "gitlab runner"),
    ("zh", "新的runner注册：{}，过期前换", form("glrt-", some(URL64, 20)), "gitlab runner"),
    (
        "en",
        "SLACK_APP {} (socket mode)",
        form("xapp-1-A", some(UPPER + DIGITS, 10), "-", some(DIGITS, 13), "-", some(HEX, 64)),
        "slack app",
    ),
    (
        "en",
        "AccountName=logs;AccountKey={};EndpointSuffix=core.windows.net",
        form(some(_B64, 86), "=="),
        "azure storage",
    ),
    (
        "zh",
        "存储的连接：DefaultEndpointsProtocol=https;AccountName=a;AccountKey={}",
        form(some(_B64, 86), "=="),
        "azure storage",
    ),
    ("en", "Stripe in test mode, {} should do", form("sk_test_51", some(ALNUM, 40)), "stripe test"),
    ("zh", "测试环境支付用{}就行", form("sk_test_51", some(ALNUM, 40)), "stripe test"),
    ("en", "cargo login {}", form("cio", some(ALNUM, 32)), "crates"),
    ("en", "dotnet nuget push -k {}", form("oy2", some(LOWER + DIGITS, 43)), "nuget"),
    ("en", "EASYPOST={}", form("EZAK", some(HEX, 54)), "easypost"),
    ("en", "my old fly deploy key {}", form("fo1_", some(URL64, 43)), "fly"),
    ("en", "resend works with {} now", form("re_", some(ALNUM, 8), "_", some(ALNUM, 24)), "resend"),
    ("en", "sonar.login={}", form("sqp_", some(HEX, 40)), "sonar"),
    ("en", "pinecone says {} is live", form("pcsk_", some(ALNUM, 60)), "pinecone"),
    ("en", "supabase service role: {}", jwt, "jwt"),
    ("zh", "前端报错，带的是{}这个", jwt, "jwt"),
    ("en", "the key in putty format\n{}\nthat's all", _putty, "putty"),
    ("en", "it got cut off:\n{}", _cut_key, "half a key"),
    ("zh", "部署私钥\n{}\n帮我看看格式对不对", private_key, "private key"),
    ("en", '{{"private_key": "{}\\n"}}', _escaped_key, "key in JSON"),
    ("en", "otpauth://totp/Acme:ann?secret={}&issuer=Acme", some(BASE32, 32), "totp"),
    ("en", "Google says 1//0{} is the refresh token", some(URL64, 60), "refresh"),
    ("zh", "阿里云子账号{}给你了", form("LTAI", some(ALNUM, 12)), "aliyun short"),
    ("zh", "腾讯云：{} ，记得轮换", form("AKID", some(ALNUM, 32)), "tencent"),
    ("zh", "飞书机器人 https://open.feishu.cn/open-apis/bot/v2/hook/{}", uuid, "feishu"),
    ("en", "s3 link: https://b.s3.amazonaws.com/f?X-Amz-Signature={}&x=1", some(HEX, 64), "signed"),
    ("en", "htpasswd line ann:$apr1$abcd1234${}", form(some(ALNUM, 22)), "apr1"),
    ("en", "sgp key {}", form("sgp_", some(HEX, 40)), "sourcegraph"),
    # words
    ("en", "btw the Hulu password is {} and the user is mum@acme.example", _strong, "password"),
    ("en", "Netflix\nuser: dad\npassword: {}\nthanks", _strong, "password"),
    ("en", "our guest wifi is 'Cafe5G', password {}", _strong, "password"),
    ("en", "set the admin password to {} yesterday", _strong, "password"),
    ("en", "DB_PASS={}\nDB_USER=app", _strong, "password"),
    ("en", "The passphrase for my laptop is {}.", _strong, "password"),
    ("en", "sshpass -p '{}' ssh root@10.0.0.1", _strong, "password"),
    ("en", "curl -u admin:{} https://nas.local/api", _strong, "password"),
    ("en", "WIFI:T:WPA;S:home;P:{};;", _strong, "wifi"),
    ("en", "machine git.acme.example login ann password {}", _strong, "netrc"),
    ("en", "Server=db;Database=x;User Id=sa;Password={};", _strong, "password"),
    ("en", "jdbc:mysql://h/x?user=root&password={}", _strong, "password"),
    ("en", "  password: '{}'  # prod", _strong, "password"),
    ("en", "ftp://backup:{}@files.acme.example/nightly", _strong, "url"),
    ("en", "DATABASE_URL=postgresql://u:{}@h:5432/d?sslmode=require", _strong, "url"),
    ("en", "Cookie: sessionid={}; theme=dark", some(ALNUM, 32), "cookie"),
    ("en", "Authorization: Basic {}", form(some(ALNUM, 30), "=="), "basic"),
    ("en", "MY_APP_SECRET_KEY='{}'", some(ALNUM + "!@#%^&*(-_=+)", 50), "django"),
    ("en", "the encryption key is {}", some(HEX, 64), "hex key"),
    ("en", "client secret for the calendar app: {}", some(URL64, 40), "client secret"),
    ("en", "Your Acme code is {}. Don't share it.", some("123456789", 6), "otp"),
    ("en", "Microsoft: {} is your security code", some("123456789", 6), "otp"),
    ("en", "use code {} to verify your account", some("123456789", 6), "otp"),
    ("en", "the safe combination is 23-{}-07", some("123456789", 2), "combination"),
    ("en", "unlock PIN on her phone is {}", some("3456789", 6), "pin"),
    ("en", "cvv {} expires 04/29", some(DIGITS, 3), "cvv"),
    ("zh", "爱奇艺会员：账号13900001111，密码{}，别改", _strong, "password"),
    ("zh", "公司VPN的密码我设成{}了", _strong, "password"),
    ("zh", "客厅路由器密码:{}", _strong, "password"),
    ("zh", "root的口令为{}", _strong, "password"),
    ("zh", "后台地址http://a.example，用户admin，密码是「{}」", _strong, "password"),
    ("zh", "她的电脑开机密码是 {} ，我试过", _strong, "password"),
    ("zh", "wifi名叫happy，密码 {}", _strong, "password"),
    ("zh", "【京东】{}（登录验证码），切勿转发", some("123456789", 6), "otp"),
    ("zh", "您正在登录，验证码：{}。如非本人操作请忽略", some("123456789", 6), "otp"),
    ("zh", "保险柜密码是{}", some("3456789", 6), "pin"),
    ("zh", "微信支付商户API密钥：{}", some(ALNUM, 32), "secret"),
    ("zh", "小程序 appid wx1234567890abcdef appsecret {}", some(HEX, 32), "wechat"),
    ("zh", "七牛的SecretKey={}", some(URL64, 40), "qiniu"),
    ("zh", "信用卡背面的安全码是{}", some(DIGITS, 3), "cvv"),
)


def _spaced_id(rng: Random) -> str:
    it = personal.chinese_id(rng)
    return f"{it[:6]} {it[6:14]} {it[14:]}"


def _wide_id(rng: Random) -> str:
    return personal.chinese_id(rng).translate(personal._WIDE)


def _hidden(rng: Random) -> str:
    it = "1" + rng.choice("356789") + some(DIGITS, 9)(rng)
    return it[:3] + "\u200b" + it[3:7] + "\u200b" + it[7:]


def _nino(rng: Random) -> str:
    return (
        f"{rng.choice(('AB', 'CE', 'JG', 'PW'))} {some(DIGITS, 2)(rng)} {some(DIGITS, 2)(rng)} "
        f"{some(DIGITS, 2)(rng)} {rng.choice('ABCD')}"
    )


def _cpf(rng: Random) -> str:
    digits = [rng.randrange(10) for _ in range(9)]
    for _ in range(2):
        total = sum(v * w for v, w in zip(digits, range(len(digits) + 1, 1, -1), strict=True))
        digits.append(total * 10 % 11 % 10)
    it = "".join(map(str, digits))
    return f"{it[:3]}.{it[3:6]}.{it[6:9]}-{it[9:]}"


PERSONAL: tuple[tuple[str, str, Make, str], ...] = (
    ("zh", "爸爸的身份证：{}", _spaced_id, "id"),
    ("zh", "订票要填{}", _wide_id, "id"),
    ("zh", "他说{}这个号能打通", _hidden, "phone"),
    ("en", "NI number {}", _nino, "nino"),
    ("en", "my CPF is {}", _cpf, "cpf"),
    ("zh", "孩子的证件号是{}", personal.chinese_id, "id"),
    ("en", "HKID {} for the form", personal.hong_kong_id, "hkid"),
    ("zh", "台胞证办理用{}", personal.taiwan_id, "twid"),
    ("zh", "开票抬头：某某公司 {}", personal.company_code, "company"),
    ("zh", "把钱打到{}就行，工行的", personal.card, "card"),
    ("en", "charge {} for the trip", personal.card, "card"),
    ("en", "wire it to {} by Friday", personal.iban, "iban"),
    ("en", "social security {} on file", personal.ssn, "ssn"),
    ("en", "Dr. Wu: {} (after 6pm)", personal.american_phone, "phone"),
    ("zh", "物业{}，保安亭也是", personal.landline, "phone"),
    ("zh", "微信同号{}", personal.mobile, "phone"),
    ("zh", "{}（工作）", personal.mobile, "phone"),
    ("en", "fax +49 30 {}", some("123456789", 8), "phone"),
    ("en", "in Tokyo: 090-{}-5678", some(DIGITS, 4), "phone"),
    ("en", "appelle le 06 12 {} 56 78", some(DIGITS, 2), "phone"),
    ("en", "+65 9{} is Mei's", form(some(DIGITS, 3), " ", some(DIGITS, 4)), "phone"),
    ("zh", "发到{}就好", personal.mail, "mail"),
    ("en", "cc {}; thanks", personal.mail, "mail"),
    ("en", "reach me: ann{}(at)acme.com", some(DIGITS, 2), "mail"),
    ("zh", "外卖送{}", personal.chinese_address, "address"),
    ("zh", "快递收件：王芳，{}", personal.chinese_address, "address"),
    ("zh", "我家是翠湖花园{}栋2单元301室", lambda r: str(r.randrange(1, 30)), "address"),
    ("en", "we moved to {} last week", personal.english_address, "address"),
    ("en", "Mum, {} — ring the bell", personal.english_address, "address"),
    ("en", "mail goes to PO Box {}", some("123456789", 4), "address"),
    ("en", "passport no. {} expires soon", personal.passport, "passport"),
    ("zh", "她的护照号码：{}", personal.passport, "passport"),
    ("zh", "停车场看到{}", personal.plate, "plate"),
    ("en", "account number {}", some("123456789", 10), "account"),
    ("zh", "银行账号{}", some("123456789", 12), "account"),
)


def secrets(rng: Random, number: int) -> Iterator[Case]:
    return _cases(SECRETS, rng, number)


def persons(rng: Random, number: int) -> Iterator[Case]:
    return _cases(PERSONAL, rng, number)


def _cases(
    kinds: tuple[tuple[str, str, Make, str], ...], rng: Random, number: int
) -> Iterator[Case]:
    for n in range(number):
        language, frame, make, kind = kinds[n % len(kinds)]
        it = make(rng)
        yield Case(kind, frame.format(it), it, language)


def honest() -> Iterator[Case]:
    for one in rows("held_out_honest"):
        yield Case("honest", one["text"], "", one["language"])
