"""Secrets that are told in passing, and what is only said in the same words."""

from __future__ import annotations

import pytest

from loxodon.trust.guard import Guard
from loxodon.trust.policy import built_in
from loxodon.trust.signs import has_sign


@pytest.fixture(scope="module")
def guard() -> Guard:
    return Guard(built_in)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("登录密码没换过，一直用Panda8812", "Panda8812"),
        ("密码老规矩：Lotus5521", "Lotus5521"),
        ("取款密码六位的402817", "402817"),
        ("库房的密码锁拨到5813就行", "5813"),
        ("进门码换成 771204 了", "771204"),
        ("后台 admin/Kx!90210z 进去看", "Kx!90210z"),
        ("password is the same as ever, Otter5512", "Otter5512"),
        ("the combination for the shed is 4417", "4417"),
        ("the hotspot pass is marigold58", "marigold58"),
        ("my sim pin's 7719", "7719"),
        ("备份码 K83920", "K83920"),
        (
            "1. abandon 2. ability 3. able 4. about 5. above 6. absent 7. absorb 8. abstract "
            "9. absurd 10. abuse 11. access 12. accident",
            "abandon 2. ability",
        ),
        ("legal winner thank year wave sausage worth useful legal winner thank yellow", "sausage"),
        ("oracle+cx_oracle://scott:t1ger99@db.host:1521/orcl", "t1ger99"),
        ("X-Auth-Key: 9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7", "9f8e7d6c"),
        ("X-Vault-Token: s.8FkQz2LmN4xW7pRt1YvB6cDe", "8FkQz2Lm"),
        ("pt_key=AAJlZq81LmXw92KcVb37RtYu64PoNj05HsGfDa4E;pt_pin=jd_abc", "Zq81LmXw"),
        ("you'll need gumdrop-99 for the wifi, that's the password", "gumdrop-99"),
        ("看下这条：mysqldump -uroot -pKoala5512 shop", "Koala5512"),
    ],
)
def test_what_is_told_in_passing_is_not_kept(guard: Guard, text: str, secret: str) -> None:
    assert secret not in guard.clean(text)
    assert has_sign(text)


@pytest.mark.parametrize(
    "text",
    [
        "密码用SHA256哈希",
        "密码没改，报错 1045 位置不变",
        "密码换了，2026年再说",
        "密码锁是 380 元",
        "门锁是 1280 买的",
        "智能锁电量还是 100",
        "动态码率上限 8000",
        "token 对应的提交 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "building code section 1203",
        "gate code review took 1200 seconds",
        "the code for the lock is 1200 lines",
        "server root/Python3 path",
        "password: (hidden)",
        "password unchanged since 2024-01-02",
        "the pass is about 2400m",
        "backup codes: 10 remaining",
        "gate-42 opens at nine",
        "Room101 opens at 9, that's the plan",
        '"is-fullwidth-code-point": "^3.0.0",',
        "1. eggs 2. milk 3. flour 4. butter 5. sugar 6. salt 7. rice 8. tea 9. soap 10. ham "
        "11. jam 12. oats",
        "cache_key=9fceb02d0ae598e95dc970b74767f19372d61af8",
    ],
)
def test_what_only_sounds_like_it_stays(guard: Guard, text: str) -> None:
    assert guard.shown(guard.clean(text), private=False) == text
