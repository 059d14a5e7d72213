"""What text is looked through for: the rules, as data that `loxodon policy` shows.

A rule is a pattern in the syntax of RE2, which takes time in proportion to the text whatever the
text is, and the signs without which the pattern need not be tried. The formats are those that the
issuers of keys, cards and papers document. Where a form alone says little, `check` names the test
of `plausible.py` or `personal.py` that a match must pass: entropy, a checksum, the words around it.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

Family = Literal["secret", "identity", "contact", "private"]
"""What opens something; what says who somebody is; how they are reached; what is nobody else's affair."""
Action = Literal["allow", "mask", "never"]
"""Kept and shown; kept, and shown as a mask; not kept at all."""
ACTIONS: tuple[Action, ...] = get_args(Action)
FAMILIES: tuple[Family, ...] = get_args(Family)

BY_FAMILY: dict[Family, Action] = {
    "secret": "never",
    "identity": "mask",
    "contact": "mask",
    "private": "allow",
}
"""What is done where nobody has said otherwise."""


class Rule(NamedTuple):
    kind: str
    """What was found, as `policy.toml` and the marker in its place name it."""
    pattern: str
    """RE2. The group `it` is what is hidden, the whole match where there is none."""
    signs: tuple[str, ...]
    """Lower case; a text that has none of them is not looked at. After `~` a pattern, else a word."""
    family: Family = "secret"
    check: str = ""


def label_of(kind: str) -> str:
    """A kind as a marker says it."""
    return kind.replace("-", " ")


def _token(kind: str, pattern: str, *signs: str) -> Rule:
    """A key of a documented form that looks random.

    It stands alone, unless it begins so that no word goes on like it: then it is also found where
    it was pasted right behind something.
    """
    edge = "" if signs and all(len(sign) > 3 and sign[-1] in "_-." for sign in signs) else r"\b"
    return Rule(kind, rf"{edge}(?P<it>{pattern})", signs, check="random")


def _certain(kind: str, pattern: str, *signs: str) -> Rule:
    """What can be nothing else."""
    return Rule(kind, pattern, signs, check="given")


_HEX = "[0-9a-f]"
_UUID = "[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"

_CLOUDS = (
    Rule(
        "aws-access-key",
        r"\b(?P<it>(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b",
        ("akia", "~asia[a-z0-9]{4}", "abia", "~acca[a-z0-9]{4}"),
        check="varied",
    ),
    _token("aws-bedrock-key", r"ABSK[A-Za-z0-9+/]{100,}={0,2}", "absk"),
    Rule(
        "aws-secret-key",
        r"(?i)(?:aws|amazon|secret[ _-]?access[ _-]?key)[^\n]{0,40}?"
        r"[\"'`=:\s：是为](?P<it>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        ("aws", "amazon", "secret access", "secret_access", "secretaccess", "secret-access"),
        check="mixed",
    ),
    _token("google-api-key", r"AIza[A-Za-z0-9_-]{35}", "aiza"),
    _token("google-oauth-token", r"ya29\.[A-Za-z0-9_-]{20,}", "ya29."),
    _token("google-oauth-secret", r"GOCSPX-[A-Za-z0-9_-]{20,}", "gocspx-"),
    _token("google-refresh-token", r"1//0[A-Za-z0-9_-]{30,}", "1//0"),
    _certain(
        "azure-storage-key",
        r"(?i)(?:AccountKey|SharedAccessKey|EndpointKey)\s*=\s*"
        r"(?P<it>[A-Za-z0-9+/]{40,100}={0,2})",
        "accountkey",
        "sharedaccesskey",
        "endpointkey",
    ),
    _token("azure-client-secret", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}", "q~"),
    _certain(
        "signed-address",
        r"(?i)[?&](?:sig|signature|x-amz-signature|x-goog-signature|"
        r"x-oss-signature|q-signature)=(?P<it>[A-Za-z0-9%+/=_-]{20,})",
        "~[?&][a-z-]{0,16}sig",
    ),
    _token("digitalocean-token", rf"do[opr]_v1_{_HEX}{{64}}", "doo_v1_", "dop_v1_", "dor_v1_"),
    _token("heroku-key", r"HRKU-[A-Za-z0-9_-]{30,}", "hrku-"),
    _token(
        "fly-token",
        r"(?:fo1_[A-Za-z0-9_-]{40,}|fm[12][ar]?_[A-Za-z0-9+/=]{60,})",
        "fo1_",
        "fm1",
        "fm2",
    ),
    _token("cloudflare-key", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{146}}", "v1.0-"),
    _token("aliyun-access-key", r"LTAI[A-Za-z0-9]{12,26}\b", "ltai"),
    _token("tencent-secret-id", r"AKID[A-Za-z0-9]{28,36}\b", "akid"),
    _token("baidu-access-key", r"ALTAK[A-Za-z0-9]{18,24}\b", "altak"),
    _token("volcengine-access-key", r"AKLT[A-Za-z0-9_-]{16,80}={0,2}", "aklt"),
    _token("jdcloud-access-key", r"JDC_[A-Z0-9]{24,32}\b", "jdc_"),
    _token("databricks-token", rf"dapi{_HEX}{{32}}(?:-\d)?\b", "dapi"),
    _token(
        "supabase-key",
        rf"(?:sbp_{_HEX}{{40}}|sb_secret_[A-Za-z0-9_-]{{20,}})",
        "sbp_",
        "sb_secret_",
    ),
    _token("planetscale-secret", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{30,}", "pscale_"),
    _token("netlify-token", r"nf[pcu]_[A-Za-z0-9]{36}", "nfp_", "nfc_", "nfu_"),
    _token("terraform-token", r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}", ".atlasv1."),
    _token(
        "vault-token",
        r"(?:hv[sbr]\.[A-Za-z0-9_-]{20,}|s\.[A-Za-z0-9]{24}\b)",
        "hvs.",
        "hvb.",
        "hvr.",
        "vault",
    ),
    _token(
        "doppler-token",
        r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}",
        "dp.pt.",
        "dp.st.",
        "dp.ct.",
        "dp.sa.",
        "dp.scim.",
        "dp.audit.",
    ),
    _token("pulumi-token", rf"pul-{_HEX}{{40}}", "pul-"),
    _token("tailscale-key", r"tskey-[a-z]+-[A-Za-z0-9_-]{16,}", "tskey-"),
)

_MODELS = (
    _token("anthropic-key", r"sk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{20,}", "sk-ant-"),
    _token("openrouter-key", rf"sk-or-v1-{_HEX}{{40,}}", "sk-or-"),
    _token("model-api-key", r"sk-[A-Za-z0-9_-]{16,}", "sk-"),
    _token("huggingface-token", r"(?:hf|api_org)_[A-Za-z0-9]{30,}", "hf_", "api_org_"),
    _token("groq-key", r"gsk_[A-Za-z0-9]{40,}", "gsk_"),
    _token("xai-key", r"xai-[A-Za-z0-9]{60,}", "xai-"),
    _token("perplexity-key", r"pplx-[A-Za-z0-9]{40,}", "pplx-"),
    _token("replicate-token", r"r8_[A-Za-z0-9]{34,}", "r8_"),
    _token("nvidia-key", r"nvapi-[A-Za-z0-9_-]{40,}", "nvapi-"),
    _token("pinecone-key", r"pcsk_[A-Za-z0-9_]{30,}", "pcsk_"),
    _token("langsmith-key", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}", "lsv2_"),
    _token(
        "zhipu-key",
        rf"{_HEX}{{32}}\.[A-Za-z0-9]{{16}}\b",
        "zhipu",
        "bigmodel",
        "智谱",
        "glm",
        "api key",
        "api_key",
        "apikey",
    ),
    _token("tavily-key", r"tvly-[A-Za-z0-9_-]{24,}", "tvly-"),
    _token("elevenlabs-key", rf"sk_{_HEX}{{48}}", "sk_"),
)

_CODE = (
    _token(
        "github-token",
        r"(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{40,})",
        "ghp_",
        "gho_",
        "ghu_",
        "ghs_",
        "ghr_",
        "github_pat_",
    ),
    _token(
        "gitlab-token",
        r"(?:gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct|rtr|wt)-"
        r"[A-Za-z0-9_-]{20,}|GR1348941[A-Za-z0-9_-]{20,})",
        "glpat-",
        "gldt-",
        "glrt-",
        "glcbt-",
        "glptt-",
        "glft-",
        "glimt-",
        "glagent-",
        "gloas-",
        "glsoat-",
        "glffct-",
        "glrtr-",
        "glwt-",
        "gr1348941",
    ),
    _token(
        "atlassian-token", r"(?:ATATT3|ATCTT3|ATBB)[A-Za-z0-9_=-]{24,}", "atatt3", "atctt3", "atbb"
    ),
    _token("npm-token", r"npm_[A-Za-z0-9]{36}", "npm_"),
    _token("pypi-token", r"pypi-AgE[A-Za-z0-9_-]{50,}", "pypi-age"),
    _token("docker-token", r"dckr_[po]at_[A-Za-z0-9_-]{20,}", "dckr_"),
    _token("rubygems-key", rf"rubygems_{_HEX}{{48}}", "rubygems_"),
    _token("crates-token", r"cio[A-Za-z0-9]{32}\b", "~cio[a-z0-9]{4}"),
    _token("nuget-key", r"oy2[a-z0-9]{43}\b", "~oy2[a-z0-9]{4}"),
    _token("clojars-token", rf"CLOJARS_{_HEX}{{60}}", "clojars_"),
    _token("postman-key", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}", "pmak-"),
    _token("sonar-token", rf"sq[upa]_{_HEX}{{40}}", "squ_", "sqp_", "sqa_"),
    _token("circleci-token", r"CCIPAT_[A-Za-z0-9]{20,}_[0-9a-f]{40}", "ccipat_"),
    _token("buildkite-token", rf"bkua_{_HEX}{{40}}", "bkua_"),
    _token("sourcegraph-token", rf"sgp_(?:[a-z0-9]{{16}}_)?{_HEX}{{40}}", "sgp_"),
    _token("artifactory-key", r"AKCp[A-Za-z0-9]{60,}", "akcp"),
    _token(
        "sentry-token",
        rf"(?:sntryu_{_HEX}{{64}}|sntrys_[A-Za-z0-9+/=_-]{{60,}})",
        "sntryu_",
        "sntrys_",
    ),
    _token(
        "grafana-token",
        r"(?:glsa_[A-Za-z0-9]{32}_[0-9a-f]{8}|glc_[A-Za-z0-9+/]{32,}={0,2})",
        "glsa_",
        "glc_",
    ),
    _token(
        "newrelic-key",
        r"(?:NRAK|NRII|NRJS|NRAA)-[A-Za-z0-9_-]{19,42}",
        "nrak-",
        "nrii-",
        "nrjs-",
        "nraa-",
    ),
    _token("dynatrace-token", r"dt0[a-z][0-9]{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}", "dt0"),
    _token("readme-key", r"rdme_[a-z0-9]{60,}", "rdme_"),
    _token("prefect-key", r"pn[ub]_[A-Za-z0-9]{36}", "pnu_", "pnb_"),
)

_TALK = (
    _token(
        "slack-token",
        r"xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}",
        "xoxa",
        "xoxb",
        "xoxc",
        "xoxe",
        "xoxo",
        "xoxp",
        "xoxr",
        "xoxs",
    ),
    _token("slack-app-token", r"xapp-\d-[A-Z0-9]+-\d+-[A-Za-z0-9]+", "xapp-"),
    _certain(
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/"
        r"(?P<it>[A-Za-z0-9+/]{20,})",
        "hooks.slack.com",
    ),
    Rule(
        "telegram-token",
        r"(?:\b|bot)(?P<it>[0-9]{8,10}:AA[A-Za-z0-9_-]{32,34})",
        (":aa",),
        check="varied",
    ),
    _token(
        "discord-token",
        r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}",
        r"~\.[a-z0-9_-]{6}\.",
    ),
    _certain(
        "discord-webhook",
        r"discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/"
        r"(?P<it>[A-Za-z0-9_-]{60,})",
        "api/webhooks/",
    ),
    _certain(
        "teams-webhook",
        r"webhook\.office\.com/webhookb2/(?P<it>[A-Za-z0-9@/-]{60,})",
        "webhook.office.com",
    ),
    _certain(
        "wecom-webhook",
        rf"qyapi\.weixin\.qq\.com/cgi-bin/webhook/\w+\?key=(?P<it>{_UUID})",
        "qyapi.weixin",
    ),
    _certain(
        "dingtalk-webhook",
        rf"oapi\.dingtalk\.com/robot/send\?access_token="
        rf"(?P<it>{_HEX}{{64}})",
        "oapi.dingtalk",
    ),
    _token("dingtalk-secret", rf"SEC{_HEX}{{64}}", "~sec[0-9a-f]{4}"),
    _certain(
        "feishu-webhook",
        rf"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/(?:v2/)?hook/"
        rf"(?P<it>{_UUID}|[A-Za-z0-9]{{20,}})",
        "open-apis/bot",
    ),
    _token("twilio-key", rf"SK{_HEX}{{32}}\b", "~sk[0-9a-f]{4}"),
    _token("sendgrid-key", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{36,64}", "sg."),
    _token("mailgun-key", rf"key-{_HEX}{{32}}\b", "key-"),
    _token("mailchimp-key", rf"{_HEX}{{32}}-us[0-9]{{1,2}}\b", "~[0-9a-f]-us[0-9]"),
    _token("brevo-key", rf"xkeysib-{_HEX}{{64}}-[A-Za-z0-9]{{16}}", "xkeysib-"),
    _token("resend-key", r"re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,}", "re_"),
    _token("notion-token", r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})\b", "secret_", "ntn_"),
    _token("linear-key", r"lin_(?:api|oauth)_[A-Za-z0-9]{40,}", "lin_api_", "lin_oauth_"),
    _token("airtable-token", rf"pat[A-Za-z0-9]{{14}}\.{_HEX}{{64}}", r"~pat[a-z0-9]{14}\."),
    _token(
        "figma-token",
        r"fig[dour]h?_[A-Za-z0-9_-]{36,}",
        "figd_",
        "figo_",
        "figu_",
        "figr_",
        "figoh_",
        "figuh_",
        "figdh_",
    ),
    _token("typeform-token", r"tfp_[A-Za-z0-9_.-]{40,}", "tfp_"),
    _token("dropbox-token", r"sl\.(?:u\.)?[A-Za-z0-9_-]{100,}", "sl."),
    _token("meta-token", r"EAA[A-Za-z0-9]{60,}", "~eaa[a-z0-9]{4}"),
)

_MONEY = (
    _token(
        "stripe-key",
        r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}",
        "sk_live_",
        "sk_test_",
        "sk_prod_",
        "rk_live_",
        "rk_test_",
        "rk_prod_",
    ),
    _token("webhook-secret", r"whsec_[A-Za-z0-9+/]{24,}={0,2}", "whsec_"),
    _token(
        "square-token",
        r"(?:EAAA[A-Za-z0-9_-]{56,}|sq0(?:atp|csp)-[A-Za-z0-9_-]{22,})",
        "eaaa",
        "sq0atp-",
        "sq0csp-",
    ),
    _certain(
        "paypal-token",
        r"access_token\$(?:production|sandbox)\$(?P<it>[a-z0-9]+\$[a-f0-9]+)",
        "access_token$",
    ),
    _token(
        "plaid-token",
        rf"access-(?:sandbox|development|production)-{_UUID}",
        "access-sandbox-",
        "access-development-",
        "access-production-",
    ),
    _token(
        "shopify-token",
        r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}",
        "shpat_",
        "shpca_",
        "shppa_",
        "shpss_",
    ),
    _token("easypost-key", r"EZ[AT]K[A-Za-z0-9]{50,}", "ezak", "eztk"),
    _token("flutterwave-key", r"FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,}(?:-X)?", "flwseck"),
    _token("wallet-key", r"(?:xprv|yprv|zprv)[A-HJ-NP-Za-km-z1-9]{80,}", "xprv", "yprv", "zprv"),
    _token("wallet-key", r"[5KL][A-HJ-NP-Za-km-z1-9]{50,51}\b"),
)

_KEYS = (
    Rule(
        "private-key",
        r"(?s)-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:.*?-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"|[A-Za-z0-9+/=\s\\:,.()-]*)",
        ("private key",),
    ),
    Rule(
        "private-key",
        r"(?s)PuTTY-User-Key-File-\d:.*?Private-MAC: *[0-9a-f]{32,}",
        ("putty-user-key-file",),
    ),
    _token(
        "private-key", r"AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{40,}", "age-secret-key-"
    ),
    _token(
        "json-web-token", r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}", "eyj"
    ),
    _token(
        "json-web-token",
        r"eyJ[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{12,}"
        r"\.[A-Za-z0-9_-]{12,}\.[A-Za-z0-9_-]{16,}",
        "eyj",
    ),
    _token(
        "1password-key",
        r"(?:ops_eyJ[A-Za-z0-9+/=_-]{60,}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|"
        r"[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})",
        "ops_eyj",
        "a3-",
    ),
    _certain(
        "password-hash",
        r"\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|[156]\$[^\s$]{1,16}\$"
        r"[./A-Za-z0-9]{22,86}|apr1\$[^\s$]{1,8}\$[./A-Za-z0-9]{22}|argon2(?:id|i|d)\$"
        r"[A-Za-z0-9$=,+/]{40,})",
        "$2a$",
        "$2b$",
        "$2x$",
        "$2y$",
        "$1$",
        "$5$",
        "$6$",
        "$apr1$",
        "$argon2",
    ),
)

TOKENS: tuple[Rule, ...] = (*_CLOUDS, *_MODELS, *_CODE, *_TALK, *_MONEY, *_KEYS)
"""Secrets that are known by their form."""
