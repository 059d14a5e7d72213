"""A third set, written after the rules had been mended for the second.

When it was first measured 92.0% of its secrets were stopped (46 of 50 sentences), all of its personal
data masked, and none of 137 honest texts alarmed. The rules were mended since, as above.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.attacks import personal_cases as personal
from tests.attacks.held_out_cases import _cases, _strong
from tests.attacks.secret_cases import (
    ALNUM,
    HEX,
    TOKENS,
    URL64,
    Case,
    Make,
    private_key,
    some,
)  # fmt: skip

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
    ("en", "Can you remember my gym locker code? It's a padlock, code {}.", some("3456789", 4), "lock"),
    ("en", "u: rob / p: pw is {}", _strong, "password"),
    ("en", "my Apple ID password is {} since Monday", _strong, "password"),
    ("en", "REDIS_PASSWORD: \"{}\"", _strong, "password"),
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
)  # fmt: skip

PERSONS: tuple[tuple[str, str, Make, str], ...] = (
    ("zh", "医保报销要用身份证{}", personal.chinese_id, "id"),
    ("zh", "乘机人张伟{}", personal.chinese_id, "id"), ("zh", "还信用卡{}", personal.card, "card"),
    ("en", "the Visa ending soon is {}", personal.card, "card"),
    ("en", "IBAN: {}", personal.iban, "iban"), ("en", "on the W-4 I put {}", personal.ssn, "ssn"),
    ("zh", "甲方信用代码：{}。", personal.company_code, "company"),
    ("zh", "房东电话{}，姓李", personal.mobile, "phone"), ("zh", "加我{}", personal.mobile, "phone"),
    ("zh", "前台{}", personal.landline, "phone"),
    ("en", "text Sam ({}) when you land", personal.american_phone, "phone"),
    ("en", "the clinic: {}", personal.british_phone, "phone"),
    ("zh", "简历发{}", personal.mail, "mail"), ("en", "<{}> wrote:", personal.mail, "mail"),
    ("zh", "聚会在{}，别迟到", personal.chinese_address, "address"),
    ("zh", "户口在{}", personal.chinese_address, "address"),
    ("en", "Grandma's at {}", personal.english_address, "address"),
    ("en", "deliver to {} before noon", personal.english_address, "address"),
    ("zh", "护照{}丢了", personal.passport, "passport"),
    ("en", "renewing passport {} takes weeks", personal.passport, "passport"),
    ("zh", "挪车：{}", personal.plate, "plate"), ("en", "HK ID: {}", personal.hong_kong_id, "hkid"),
    ("zh", "台湾同事的身份证字号{}", personal.taiwan_id, "twid"),
)  # fmt: skip

HONEST: tuple[tuple[str, str], ...] = (
    *(("en", text) for text in (
        "Could you help me pick a password manager?", "I use a passphrase of four random words",
        "The secret to good bread is time", "What does a JWT look like?", "our tokens are minted",
        "he whispered the password to the guard", "the vault is at the museum", "unlock the door",
        "The api key goes in the header", "sign in with Google", "my pin broke", "promo code SUMMER",
        "bar code scanners", "the access code changes weekly", "I lost 12 pounds in 2023",
        "chapter 4 verse 12", "It costs 12.50 for 3", "at 10:30 on 5/6/2024", "2 + 2 = 4",
        "the 2024 budget is 1500000", "order 66", "I weigh 72.5 kg", "about 1/3 of 900",
        "the marathon is 42.195 km", "Boeing 737-800", "IEEE 802.11ax", "HTTP 1.1", "the year 1984",
        "ticket ABC-1234", "PR #5678 merged", "branch feature/login-2", "utf-8 encoding",
        "127.0.0.1:8000", "abc123 is a placeholder", "lorem ipsum 1234", "page 3 of 10",
        "seat 24C", "size 42 shoes", "A4 paper", "my son is in grade 5", "route 101 is closed",
        "I walked down Main Street", "the Avenue is long", "she lives in Springfield",
        "my address changed", "her email bounced", "phone me later", "the card was declined",
        "passport control took 2 hours", "my ID expired", "the account has 3 users",
        "we have 250 employees", "room 12B", "3 bedrooms, 2 baths", "the temperature is -12",
        "score 21-19, 21-17", "from 1990-01-01 to 1999-12-31", "bitcoin hit 64000",
        "commit 3f2a91c fixed it", "hash: 9e107d9d372bb6826bd81d3542a419d6", "etag W/\"0815\"",
        "the session id was too short", "cookies and milk", "bearer of good news", "auth is hard",
        "use env vars for secrets", "secrets.token_hex(16) makes one", "password=$DB_PASSWORD",
        "set api_key to your own key", "token limit is 128000", "context window 200k tokens",
        "private key infrastructure", "the public key is on my site", "key: value pairs",
    )),
    *(("zh", text) for text in (
        "密码最好不要重复使用", "怎么找回密码", "这个密码太简单了", "密码由字母和数字组成", "暂时不用密码",
        "他破译了密码", "动态令牌没电了", "验证码看不清", "验证码60秒后重发", "把token设为环境变量",
        "我的幸运数字是7", "今年营收1200万", "第三季度增长15%", "房子120平", "楼高33层", "车速80",
        "孩子3岁半", "早上6点半起床", "2026年2月4日立春", "下午3点15分", "一斤12块5", "买2送1",
        "编号2024-0031", "文件号〔2023〕15号", "第5号台风", "3号线人多", "坐10路公交", "走二环路",
        "沿着河边的路走500米", "住院部5楼", "快递柜", "微信加我", "电话没电", "卡里没钱", "身份证要换新的",
        "签证办好了", "护照有效期10年", "上牌要3天", "邮箱是哪个", "账号注销了", "用户名太长", "银行排队40分钟",
        "卡路里320", "步数10234", "血压120/80", "心率72", "航班改到8号", "座位12A", "汇率7.12", "基金涨了3.5%",
        "代码第120行报错", "提交3f2a91c有问题", "端口3306", "版本2.0.13", "内网10.0.0.5", "日志有500条",
        "密码学教材第3版", "公钥可以公开", "私有云", "密室逃脱", "令人感动", "口令正确", "暗号对上了",
    )),
)  # fmt: skip


def secrets(rng: Random, number: int) -> Iterator[Case]:
    return _cases(SECRETS, rng, number)


def persons(rng: Random, number: int) -> Iterator[Case]:
    return _cases(PERSONS, rng, number)


def honest() -> Iterator[Case]:
    for language, text in HONEST:
        yield Case("honest", text, "", language)
