"""Secrets and what only looks like one, made from the formats that issuers document.

A case is a text, what in it must not be kept, and the language of the sentence around it. Everything
is drawn from a seeded generator: the same seed, the same cases.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

UPPER, LOWER, DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGITS
URL64 = ALNUM + "-_"
HEX = "0123456789abcdef"
BASE32 = UPPER + "234567"
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Case(NamedTuple):
    kind: str
    text: str
    secret: str
    """What must be gone from the text; empty for a look-alike, which must stay as it is."""
    language: str


Make = Callable[[Random], str]


def some(letters: str, size: int) -> Make:
    return lambda rng: "".join(rng.choice(letters) for _ in range(size))


def form(*parts: str | Make) -> Make:
    return lambda rng: "".join(one if isinstance(one, str) else one(rng) for one in parts)


def either(*makes: Make) -> Make:
    return lambda rng: rng.choice(makes)(rng)


def uuid(rng: Random) -> str:
    it = some(HEX, 32)(rng)
    return f"{it[:8]}-{it[8:12]}-{it[12:16]}-{it[16:20]}-{it[20:]}"


def jwt(rng: Random) -> str:
    def part(text: str) -> str:
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    body = f'{{"sub":"{rng.randrange(10**9)}","name":"u{rng.randrange(999)}","iat":1516239022}}'
    head = '{"alg":"HS256","typ":"JWT"}'
    return f"{part(head)}.{part(body)}.{some(URL64, 43)(rng)}"


def private_key(rng: Random) -> str:
    name = rng.choice(("RSA ", "EC ", "OPENSSH ", "", "DSA ", "ENCRYPTED "))
    lines = "\n".join(some(ALNUM + "+/", 64)(rng) for _ in range(rng.randrange(3, 8)))
    return f"-----BEGIN {name}PRIVATE KEY-----\n{lines}\n-----END {name}PRIVATE KEY-----"


def pgp_key(rng: Random) -> str:
    lines = "\n".join(some(ALNUM + "+/", 64)(rng) for _ in range(4))
    name = "PGP PRIVATE KEY BLOCK"
    return f"-----BEGIN {name}-----\n\n{lines}\n=abcd\n-----END {name}-----"


_X64 = some(HEX, 64)
TOKENS: dict[str, Make] = {
    "aws-access-key": form(either(lambda r: "AKIA", lambda r: "ASIA"), some(BASE32, 16)),
    "google-api-key": form("AIza", some(URL64, 35)),
    "google-oauth-secret": form("GOCSPX-", some(URL64, 28)),
    "google-oauth-token": form("ya29.", some(URL64, 120)),
    "azure-client-secret": form(some(ALNUM, 3), "8Q~", some(ALNUM + "_.-", 34)),
    "digitalocean-token": form("dop_v1_", _X64),
    "aliyun-access-key": form("LTAI5t", some(ALNUM, 18)),
    "tencent-secret-id": form("AKID", some(ALNUM, 32)),
    "volcengine-access-key": form("AKLT", some(ALNUM, 43)),
    "baidu-access-key": form("ALTAK", some(ALNUM, 21)),
    "databricks-token": form("dapi", some(HEX, 32)),
    "supabase-key": form("sbp_", some(HEX, 40)),
    "planetscale-secret": form("pscale_tkn_", some(URL64, 43)),
    "vault-token": form("hvs.", some(URL64, 90)),
    "terraform-token": form(some(ALNUM, 14), ".atlasv1.", some(URL64, 67)),
    "doppler-token": form("dp.pt.", some(ALNUM, 43)),
    "pulumi-token": form("pul-", some(HEX, 40)),
    "tailscale-key": form("tskey-auth-", some(ALNUM, 12), "-", some(ALNUM, 32)),
    "openai-key": form("sk-", some(ALNUM, 20), "T3BlbkFJ", some(ALNUM, 20)),
    "openai-project-key": form("sk-proj-", some(URL64, 74), "T3BlbkFJ", some(URL64, 74)),
    "anthropic-key": form("sk-ant-api03-", some(URL64, 93), "AA"),
    "deepseek-key": form("sk-", some(HEX, 32)),
    "openrouter-key": form("sk-or-v1-", _X64),
    "huggingface-token": form("hf_", some(UPPER + LOWER, 30), some(DIGITS, 4)),
    "groq-key": form("gsk_", some(ALNUM, 52)),
    "xai-key": form("xai-", some(ALNUM, 80)),
    "perplexity-key": form("pplx-", some(ALNUM, 48)),
    "replicate-token": form("r8_", some(ALNUM, 37)),
    "nvidia-key": form("nvapi-", some(URL64, 64)),
    "langsmith-key": form("lsv2_pt_", some(HEX, 32), "_", some(HEX, 10)),
    "github-token": form(
        either(lambda r: "ghp_", lambda r: "gho_", lambda r: "ghs_"), some(ALNUM, 36)
    ),
    "github-fine-token": form("github_pat_", some(ALNUM, 22), "_", some(ALNUM, 59)),
    "gitlab-token": form("glpat-", some(URL64, 20)),
    "atlassian-token": form("ATATT3xFfGF0", some(URL64, 180)),
    "npm-token": form("npm_", some(ALNUM, 36)),
    "pypi-token": form("pypi-AgEIcHlwaS5vcmc", some(URL64, 80)),
    "docker-token": form("dckr_pat_", some(URL64, 27)),
    "rubygems-key": form("rubygems_", some(HEX, 48)),
    "postman-key": form("PMAK-", some(HEX, 24), "-", some(HEX, 34)),
    "sentry-token": form("sntryu_", _X64),
    "grafana-token": form("glsa_", some(ALNUM, 32), "_", some(HEX, 8)),
    "newrelic-key": form("NRAK-", some(UPPER + DIGITS, 27)),
    "slack-token": form("xoxb-", some(DIGITS, 12), "-", some(DIGITS, 13), "-", some(ALNUM, 24)),
    "slack-webhook": form(
        "https://hooks.slack.com/services/T",
        some(UPPER + DIGITS, 8),
        "/B",
        some(UPPER + DIGITS, 8),
        "/",
        some(ALNUM, 24),
    ),
    "telegram-token": form(some("123456789", 10), ":AA", some(URL64, 33)),
    "discord-token": form("MT", some(ALNUM, 24), ".G", some(ALNUM, 5), ".", some(URL64, 38)),
    "discord-webhook": form(
        "https://discord.com/api/webhooks/", some("123456789", 18), "/", some(URL64, 68)
    ),
    "wecom-webhook": form("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", uuid),
    "dingtalk-webhook": form("https://oapi.dingtalk.com/robot/send?access_token=", _X64),
    "dingtalk-secret": form("SEC", _X64),
    "feishu-webhook": form("https://open.feishu.cn/open-apis/bot/v2/hook/", uuid),
    "twilio-key": form("SK", some(HEX, 32)),
    "sendgrid-key": form("SG.", some(URL64, 22), ".", some(URL64, 43)),
    "mailgun-key": form("key-", some(HEX, 32)),
    "mailchimp-key": form(some(HEX, 32), "-us", some("123456789", 1)),
    "brevo-key": form("xkeysib-", _X64, "-", some(ALNUM, 16)),
    "notion-token": form("ntn_", some(ALNUM, 46)),
    "linear-key": form("lin_api_", some(ALNUM, 40)),
    "airtable-token": form("pat", some(ALNUM, 14), ".", _X64),
    "figma-token": form("figd_", some(URL64, 40)),
    "stripe-key": form("sk_live_", some(ALNUM, 24)),
    "stripe-restricted-key": form("rk_live_", some(ALNUM, 24)),
    "webhook-secret": form("whsec_", some(ALNUM, 32)),
    "square-token": form("sq0csp-", some(URL64, 43)),
    "shopify-token": form("shpat_", some(HEX, 32)),
    "plaid-token": form("access-production-", uuid),
    "wallet-key": form("xprv9", some(BASE58, 106)),
    "json-web-token": jwt,
    "private-key": private_key,
    "pgp-private-key": pgp_key,
    "age-key": form("AGE-SECRET-KEY-1", some("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "bcrypt-hash": form("$2b$12$", some(ALNUM + "./", 53)),
}
"""By kind, what makes one that has the documented form."""

AROUND = (
    ("en", "{}"),
    ("en", "my key is {}"),
    ("en", "Use {} for the staging server."),
    ("en", "here you go: {}, keep it safe"),
    ("en", 'export API="{}"'),
    ("en", "token={}"),
    ("en", "I pasted ({}) into the config and it failed"),
    ("en", "curl -H 'X-Key: {}' host"),
    ("en", '{{"credential": "{}", "n": 1}}'),
    ("en", "```\n{}\n```"),
    ("en", "see `{}` please"),
    ("zh", "我的密钥是{}"),
    ("zh", "这个{}不要告诉别人"),
    ("zh", "请帮我记住：{}。"),
    ("zh", "配置里写的是「{}」，线上用的"),
    ("zh", "刚申请的，{}，有效期一年"),
    ("zh", "凭证（{}）放哪里"),
    ("zh", "把{}填进去就能用了"),
    ("zh", "老板发来的：\n{}\n收好"),
)

_WORDS = ("sunflower", "dragon", "coffee", "Shanghai", "monkey", "winter", "Tiger", "river", "moon")


def _password(rng: Random) -> str:
    word = rng.choice(_WORDS)
    return rng.choice(
        (
            f"{word}{rng.randrange(10, 9999)}",
            f"{word.title()}{rng.choice('!@#$%')}{rng.randrange(99)}",
            f"{word[:3]}{rng.randrange(100, 999)}{rng.choice(_WORDS)}",
            some(ALNUM, 12)(rng) + "9",
            some(ALNUM + "!@#$%^&*", 14)(rng) + "a7",
            f"{rng.randrange(10**5, 10**8)}",
            f"{word.replace('o', '0').replace('e', '3')}{rng.choice('!?_')}{rng.randrange(9)}1",
        )
    )


def _digits(low: int, high: int) -> Make:
    return lambda rng: some(DIGITS, rng.randrange(low, high + 1))(rng)


def _phrase(rng: Random) -> str:
    words = (
        "abandon ability canyon drift eagle fabric gadget harbor island jungle kitten lemon magnet "
        "nasty oxygen panda quarter rabbit saddle tackle umbrella vacant wagon yellow zebra acid "
        "bacon cactus damage elbow fiction giant hockey ivory jacket kiwi ladder mango napkin olive"
    ).split()
    return " ".join(rng.sample(words, rng.choice((12, 24))))


SAID: tuple[tuple[str, Make, str, str], ...] = (
    *(
        ("password", _password, "en", frame)
        for frame in (
            "my password is {}",
            "The wifi password is {}.",
            "password: {}",
            "PASSWORD={}",
            "pwd: {}",
            "The password for the NAS is {}, user admin",
            "login with user root and password {}",
            'db_password = "{}"',
            "I changed my Netflix password to {}",
            "passcode: {}",
            "the password is now {}",
            '"password": "{}"',
            "Pass phrase is {}",
            "mysql --password={}",
            "my old password was {}",
            "spring.datasource.password={}",
            "his laptop password is {}",
        )
    ),
    *(
        ("password", _password, "zh", frame)
        for frame in (
            "密码是{}",
            "我的wifi密码是{}，记一下",
            "密码：{}",
            "登录密码改成了{}",
            "账号admin 密码{}",
            "家里路由器的密码为{}",
            "密码: {}",
            "口令是{}",
            "邮箱密码换成{}了",
            "开机密码设为{}",
            "用户名：root，密码：{}。",
            "支付密码是{}",
            "密码就是{}",
            "服务器密码 {}",
        )
    ),
    *(
        ("one-time-code", _digits(6, 6), "en", frame)
        for frame in (
            "Your verification code is {}",
            "{} is your Google verification code",
            "Use OTP {} to sign in",
            "Your one-time code: {}. It expires in 10 minutes.",
            "the 2FA code is {}",
            "Your login code is {}",
            "security code: {}",
        )
    ),
    *(
        ("one-time-code", _digits(6, 6), "zh", frame)
        for frame in (
            "验证码是{}",
            "【支付宝】您的验证码{}，5分钟内有效",
            "验证码：{}，请勿泄露",
            "{}是您的登录验证码",
            "动态密码{}，打死都不要告诉别人",
            "您的校验码为{}",
            "刚收到的验证码 {}",
        )
    ),
    *(
        ("pin", lambda r: str(r.randrange(2100, 9999)), lang, frame)
        for lang, frame in (
            ("en", "my card PIN is {}"),
            ("en", "PIN: {}"),
            ("en", "the pin code for the phone is {}"),
            ("en", "The door code is {}"),
            ("en", "garage code: {}"),
            ("en", "alarm code is {}"),
            ("zh", "PIN码是{}"),
            ("zh", "门锁密码是{}"),
            ("zh", "银行卡取款密码是{}"),
        )
    ),
    *(
        ("card-code", _digits(3, 3), lang, frame)
        for lang, frame in (
            ("en", "the CVV is {}"),
            ("en", "CVC: {}"),
            ("zh", "安全码是{}"),
            ("zh", "CVV码{}"),
        )
    ),
    *(
        ("connection-string", _password, "en", frame)
        for frame in (
            "postgres://app:{}@db.internal:5432/prod",
            "mongodb+srv://root:{}@cluster0.mongodb.net/x",
            "redis://:{}@cache.local:6379/0",
            "mysql://root:{}@10.0.0.3/shop",
            "https://deploy:{}@git.corp.net/repo.git",
            "amqp://guest:{}@mq:5672",
            "connect with postgresql+psycopg2://svc:{}@pg/core please",
        )
    ),
    *(
        ("connection-string", _password, "zh", frame)
        for frame in (
            "数据库连接是mysql://root:{}@10.1.2.3:3306/shop",
            "连接串：redis://:{}@10.0.0.8:6379",
        )
    ),
    *(
        ("secret-value", some(ALNUM, 32), lang, frame)
        for lang, frame in (
            ("en", "client_secret={}"),
            ("en", "api_key: {}"),
            ("en", "ACCESS_TOKEN='{}'"),
            ("en", "The API key is {}"),
            ("en", "my access token is {}"),
            ("en", "app-secret: {}"),
            ("en", '"apiKey": "{}"'),
            ("en", "Authorization: Bearer {}"),
            ("en", "X-Api-Key: {}"),
            ("zh", "AppSecret是{}"),
            ("zh", "微信的appsecret：{}"),
            ("zh", "密钥为{}"),
            ("zh", "access_token={}"),
            ("zh", "SecretKey: {}"),
            ("zh", "企业微信corpsecret={}"),
            ("zh", "API密钥：{}"),
            ("zh", "令牌是{}"),
        )
    ),
    *(
        ("aws-secret-key", some(ALNUM + "/+", 40), "en", frame)
        for frame in (
            "aws_secret_access_key = {}",
            "AWS_SECRET_ACCESS_KEY={}",
            "secret access key: {}",
        )
    ),
    *(
        ("seed-phrase", _phrase, lang, frame)
        for lang, frame in (
            ("en", "my seed phrase is: {}"),
            ("en", "Recovery phrase: {}"),
            ("zh", "助记词：{}"),
            ("zh", "我的钱包助记词是 {}"),
        )
    ),
)
"""Secrets that only the words around them tell: kind, what makes one, language, sentence."""


def _sha(rng: Random) -> str:
    return some(HEX, rng.choice((7, 8, 12, 40, 64)))(rng)


ALIKE: tuple[tuple[str, str, Make], ...] = (
    *(
        ("en", frame, _sha)
        for frame in (
            "fixed in commit {}",
            "sha256: {}",
            "git checkout {}",
            "the digest was {} yesterday",
            "image@sha256:{}",
            "https://github.com/acme/app/commit/{}",
        )
    ),
    *(
        ("en", frame, uuid)
        for frame in (
            "request id {}",
            "trace: {}",
            "the order {} was shipped",
            "uuid={}",
            "session {}",
            "https://acme.example/items/{}",
        )
    ),
    *(("zh", frame, uuid) for frame in ("订单号{}已发货", "请求ID是{}", "记录{}找不到")),
    *(("zh", frame, _sha) for frame in ("提交{}修好了", "这个文件的哈希是{}", "回滚到{}")),
    *(
        ("en", frame, _digits(5, 9))
        for frame in (
            "ticket {} is closed",
            "build {} passed",
            "we sold {} units",
            "order #{}",
            "id={}",
            "it has {} rows",
            "page_id: {}",
            "max_tokens: {}",
            "token_count={}",
            "used {} tokens",
        )
    ),
    *(
        ("zh", frame, _digits(5, 8))
        for frame in ("工单{}已关闭", "一共{}条记录", "卖了{}件", "编号{}", "用了{}个token")
    ),
    *(
        ("en", text, lambda r: "")
        for text in (
            "my password manager is Bitwarden",
            "the secret ingredient is butter",
            "I forgot my password again",
            "password must be at least 8 characters",
            "password: string",
            "The password is required.",
            "reset your password at the login page",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxx",
            "export OPENAI_API_KEY=your-api-key-here",
            "api_key = os.environ['API_KEY']",
            "token = $GITHUB_TOKEN",
            "password=********",
            "password: <your password>",
            "AKIAIOSFODNN7EXAMPLE",
            "the token was too long",
            "tokenizer = o200k_base",
            "secret_name: my-app-secret",
            "the key to success is patience",
            "postgres://user:password@localhost/db",
            "redis://localhost:6379/0",
            "password = getpass()",
            "his secret is that he naps",
            "use a strong password",
            "a bearer of bad news",
            "Authorization: Bearer <token>",
            "the password is incorrect",
            "api_key: ${API_KEY}",
            "JWT stands for JSON Web Token",
            "ssh-keygen makes a private key",
            "scikit-learn sk-learn",
            "password is stored hashed",
            "what is the verification code for?",
            "zip code 94107",
            "the dress code is casual",
            "error code 50012",
            "area code 415",
            "pin the message",
            "status code 404",
            "source code 2024 edition",
            "the password was changed in 2019",
            "a secret santa party on 2025-12-20",
            "the api key expires 2026-01-01",
            "PIN it to the top",
            "credential stuffing is an attack",
            "hf_hub_download is a function",
            "npm_config_registry",
            "key-value store",
            "ghp_ is the prefix of GitHub tokens",
            "whsec_ prefix",
            "the recovery took 12 weeks",
            "my passport photo",
            "rotate tokens every 90 days",
            "password length 8-16",
            "pwd prints /home/ann/work",
            "basic auth over https is fine",
            "https://example.org/path?id=12345&page=2",
            "token: str = ''",
            "secret: bool",
            "session_token_ttl: 3600",
            "private key cryptography was invented in the 1970s",
            "the wifi password is on the fridge",
            "my password is the name of my dog",
            "her password was too weak",
            "the passphrase should be long and memorable",
            "seed funding of 12 million",
            "the seed phrase has twelve words",
            "npm install left-pad@1.3.0",
            "kubectl get secret my-secret -o yaml",
            "sk-spinner-container-large-blue",
            "secretsmanager.get_secret_value(id)",
        )
    ),
    *(
        ("zh", text, lambda r: "")
        for text in (
            "密码学很有意思",
            "我忘记密码了",
            "密码至少8位",
            "密码要包含大小写字母和数字",
            "请输入密码",
            "密码是什么？",
            "密码错误",
            "密码管理器用的是1Password",
            "这是我们之间的秘密",
            "验证码收不到",
            "密码我改过了",
            "口令红包",
            "开门密码忘了",
            "api key 在哪里申请",
            "token用完了",
            "密钥长度是2048位",
            "他的口令很响亮",
            "验证码一般是6位数字",
            "密码每90天换一次",
            "密码放在抽屉里了",
            "密码是我生日",
            "这个月token花了3000元",
            "错误码50012",
            "邮政编码100084",
            "今天验证码发了3次",
            "密码 ********",
            "密码：<你的密码>",
            "sk-xxxxxxxx这种格式",
            "把API_KEY换成你自己的",
            "凭证已过期",
            "秘密花园",
            "授权码去哪里拿",
            "密码强度中等",
            "摩斯密码",
            "财富密码",
            "流量密码就是坚持",
            "密码锁坏了2024年修的",
            "助记词要抄在纸上",
            "私钥不要上传",
            "令牌桶算法每秒100个",
        )
    ),
)
"""What looks like a secret and is none: language, sentence, what stands in it."""


def positives(rng: Random, number: int) -> Iterator[Case]:
    """Secrets of every kind in turn, half of them known by their form."""
    kinds = sorted(TOKENS)
    for n in range(number):
        if n % 2 == 0:
            kind = kinds[n // 2 % len(kinds)]
            language, frame = AROUND[rng.randrange(len(AROUND))]
            secret = TOKENS[kind](rng)
        else:
            kind, make, language, frame = SAID[n // 2 % len(SAID)]
            secret = make(rng)
        yield Case(kind, frame.format(secret), secret, language)


def look_alikes(rng: Random, number: int) -> Iterator[Case]:
    for n in range(number):
        language, frame, make = ALIKE[n % len(ALIKE)]
        text = frame.format(make(rng)) if "{}" in frame else frame
        yield Case("look-alike", text, "", language)
