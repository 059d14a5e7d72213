"""A third set, written after the rules had been mended for the second.

When it was first measured 92.0% of its secrets were stopped (46 of 50 sentences), all of its personal
data masked, and none of 137 honest texts alarmed. The rules were mended since, as above.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.attacks import personal_cases as personal
from tests.attacks.held_out_cases import _cases, _strong
from tests.attacks.secret_cases import ALNUM, HEX, TOKENS, URL64, Case, Make, private_key, some
from tests.attacks.typed import rows

_GITHUB, _AWS, _OPENAI = TOKENS["github-token"], TOKENS["aws-access-key"], TOKENS["openai-key"]
_CODE = some("123456789", 6)

SECRETS: tuple[tuple[str, str, Make, str], ...] = (
    ("en", "remote: https://x-access-token:{}@github.com/acme/site", _GITHUB, "github"),
    ("en", "Hey, the CI broke because {} expired last night :(", _GITHUB, "github"),
    ("en", "+ GITHUB_PAT: {}  # do not merge", _GITHUB, "github"),
    ("en", "key id {}, region eu-west-1", _AWS, "aws"),
    ("en", "openai.api_key='{}'", _OPENAI, "openai"),
    ("en", "I got charged $40 on {} in one day", _OPENAI, "openai"),
    ("en", "curl https://api.stripe.com/v1/charges -u {}:", TOKENS["stripe-key"], "stripe"),
    ("en", "GET /bot{}/getMe", TOKENS["telegram-token"], "telegram"),
    ("en", "slack said invalid_auth for {}.", TOKENS["slack-token"], "slack"),
    ("en", "{}\nthat's the whole id_rsa", private_key, "key"),
    ("en", "pip config: //user:{}@pypi.acme.example/simple", TOKENS["pypi-token"], "pypi"),
    ("en", "_authToken={}", TOKENS["npm-token"], "npm"),
    ("en", "sendgrid: {} (sandbox)", TOKENS["sendgrid-key"], "sendgrid"),
    ("en", "session cookie eyJ... no wait, {}", TOKENS["json-web-token"], "jwt"),
    ("en", "The router's admin password is still {}.", _strong, "password"),
    (
        "en",
        "Can you remember my gym locker code? It's a padlock, code {}.",
        some("3456789", 4),
        "lock",
    ),
    ("en", "u: rob / p: pw is {}", _strong, "password"),
    ("en", "my Apple ID password is {} since Monday", _strong, "password"),
    ("en", 'REDIS_PASSWORD: "{}"', _strong, "password"),
    ("en", "Wi-Fi: Sunny5G\nPassword: {}", _strong, "password"),
    ("en", "the zip file's password: {}", _strong, "password"),
    ("en", "psql postgres://ro:{}@10.2.0.4:5432/warehouse -c 'select 1'", _strong, "url"),
    ("en", "smtp://mailer:{}@smtp.acme.example:587", _strong, "url"),
    ("en", "WhatsApp code: {}. Don't share this code with others", _CODE, "otp"),
    ("en", "G-{} is your Google verification code.", _CODE, "otp"),
    ("en", "Your bank's one-time passcode is {}", _CODE, "otp"),
    ("en", "her debit card pin is {}", some("3456789", 4), "pin"),
    ("en", "sa_secret_key = {}", some(ALNUM, 40), "secret"),
    ("en", "the webhook secret should be {}", some(HEX, 40), "secret"),
    ("en", "set AUTH_TOKEN to {} first", some(URL64, 32), "token"),
    ("en", "x-api-key {}", some(ALNUM, 40), "key"),
    ("zh", "我把{}提交到仓库了，怎么办", _GITHUB, "github"),
    ("zh", "这是测试号的key：{}，随便用", _OPENAI, "openai"),
    ("zh", "阿里云AccessKey ID {}，Secret在保险箱", TOKENS["aliyun-access-key"], "aliyun"),
    ("zh", "报警机器人{}", TOKENS["dingtalk-webhook"], "dingtalk"),
    ("zh", "机器人加签{}", TOKENS["dingtalk-secret"], "dingtalk"),
    ("zh", "群机器人：{}", TOKENS["wecom-webhook"], "wecom"),
    ("zh", "deepseek的{}余额不足", TOKENS["deepseek-key"], "deepseek"),
    ("zh", "妈妈的微信密码是{}，她老忘", _strong, "password"),
    ("zh", "密码从下周起改为{}", _strong, "password"),
    ("zh", "网盘链接 提取后解压密码：{}", _strong, "password"),
    ("zh", "NAS登录\n用户：admin\n密码：{}", _strong, "password"),
    ("zh", "我家门锁密码{}，你直接进", some("3456789", 6), "pin"),
    ("zh", "工行卡的密码是{}", some("3456789", 6), "pin"),
    ("zh", "【美团】验证码{}，您正在登录，10分钟内有效", _CODE, "otp"),
    ("zh", "发给我的短信验证码是 {}", _CODE, "otp"),
    ("zh", "appKey=abc，appSecret={}", some(HEX, 32), "secret"),
    ("zh", "支付宝应用私钥是{}", some(ALNUM, 64), "secret"),
    ("zh", "jdbc:postgresql://10.0.0.9/erp?user=sa&password={}", _strong, "url"),
    ("zh", "token是{}，两小时过期", some(ALNUM, 40), "token"),
)

PERSONS: tuple[tuple[str, str, Make, str], ...] = (
    ("zh", "医保报销要用身份证{}", personal.chinese_id, "id"),
    ("zh", "乘机人张伟{}", personal.chinese_id, "id"),
    ("zh", "还信用卡{}", personal.card, "card"),
    ("en", "the Visa ending soon is {}", personal.card, "card"),
    ("en", "IBAN: {}", personal.iban, "iban"),
    ("en", "on the W-4 I put {}", personal.ssn, "ssn"),
    ("zh", "甲方信用代码：{}。", personal.company_code, "company"),
    ("zh", "房东电话{}，姓李", personal.mobile, "phone"),
    ("zh", "加我{}", personal.mobile, "phone"),
    ("zh", "前台{}", personal.landline, "phone"),
    ("en", "text Sam ({}) when you land", personal.american_phone, "phone"),
    ("en", "the clinic: {}", personal.british_phone, "phone"),
    ("zh", "简历发{}", personal.mail, "mail"),
    ("en", "<{}> wrote:", personal.mail, "mail"),
    ("zh", "聚会在{}，别迟到", personal.chinese_address, "address"),
    ("zh", "户口在{}", personal.chinese_address, "address"),
    ("en", "Grandma's at {}", personal.english_address, "address"),
    ("en", "deliver to {} before noon", personal.english_address, "address"),
    ("zh", "护照{}丢了", personal.passport, "passport"),
    ("en", "renewing passport {} takes weeks", personal.passport, "passport"),
    ("zh", "挪车：{}", personal.plate, "plate"),
    ("en", "HK ID: {}", personal.hong_kong_id, "hkid"),
    ("zh", "台湾同事的身份证字号{}", personal.taiwan_id, "twid"),
)


def secrets(rng: Random, number: int) -> Iterator[Case]:
    return _cases(SECRETS, rng, number)


def persons(rng: Random, number: int) -> Iterator[Case]:
    return _cases(PERSONS, rng, number)


def honest() -> Iterator[Case]:
    for one in rows("fresh_honest"):
        yield Case("honest", one["text"], "", one["language"])
