"""Sides of life: which kind of thing a sentence is about, so that a change finds what it changes.

`现在改成天天跑步` replaces `每周二去健身房` though they share no word: both are exercise. A
domain is narrow on purpose, a kind of thing that one usually has one of; a sentence may be in
several.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise

from loxodon.text.words import fold

_CHINESE = {
    "exercise": "健身 快走 散步 暴走 跑步 慢跑 夜跑 晨跑 跑5 跑10 公里 游泳 撸铁 瑜伽 普拉提 动感单车 骑行 跳绳 打球 羽毛球 篮球 "
    "网球 乒乓 太极 八段锦 私教 徒步 攀岩 拳击 广场舞",
    "drink": "咖啡 美式 拿铁 奶茶 茶 可乐 啤酒 白酒 红酒 喝酒 饮料 豆浆 牛奶 大麦茶",
    "diet": "吃素 素食 纯素 吃鱼 蛋奶素 鱼素 吃肉 开荤 全素 生酮 轻食 减脂餐 低碳 断食 节食 吃斋 清真 无麸质 忌口",
    "smoking": "抽烟 吸烟 戒烟 香烟 电子烟 复吸 烟瘾",
    "commute": "地铁 公交 开车上班 骑车 电动车 通勤 打车 班车 高铁上班 拼车",
    "car": "汽车 轿车 SUV 特斯拉 比亚迪 辆车 新车 买车 换车 开的车",
    "phone": "手机 iPhone 华为 小米手机 OPPO vivo 三星 安卓",
    "computer": "电脑 笔记本 MacBook ThinkPad 台式机",
    "camera": "相机 镜头 富士 索尼 尼康 佳能 理光 徕卡 单反 微单",
    "editor": "VSCode Vim Neovim Zed Emacs Sublime PyCharm IDEA Cursor 编辑器",
    "code": "Python Java JavaScript TypeScript Golang Go语言 改用Go 用Go 写Go Rust Kotlin Swift PHP Ruby",
    "database": "MySQL PostgreSQL Postgres SQLite MongoDB Oracle 数据库",
    "supervisor": "导师 班主任 老板 领导 上司 组长 教练 主唱 队长 房东",
    "partner": "男朋友 女朋友 对象 老公 老婆 丈夫 妻子 未婚夫 未婚妻 恋爱 单身 相亲 结婚 离婚 分手",
    "helper": "保姆 月嫂 阿姨带 带娃 带孩子 婆婆 岳母 育儿嫂",
    "medication": "吃药 药 毫克 微克 mg 服药 用药 优甲乐 二甲双胍 降压药 胰岛素 疗程",
    "sight": "近视 散光 视力 度数 摘镜 隐形眼镜 框架眼镜 全飞秒",
    "weight": "体重 斤 公斤 kg 减肥 增肌",
    "invest": "定投 基金 股票 纳指 标普 理财 国债 逆回购 黄金 存款 余额宝 币",
    "learning": "学英语 学日语 学法语 学韩语 学西班牙语 学德语 多邻国 网课 报班 培训班",
    "instrument": "吉他 钢琴 尤克里里 小提琴 架子鼓 古筝 口琴",
    "exam": "考研 考公 国考 省考 雅思 托福 四级 六级 驾照 科目二 科二 科三 科目三 N1 N2 教资 法考 CPA",
    "blend": "拼配 豆子 配方 菜单 口味",
    "rent": "房租 租金 月租 租的房",
    "breakfast": "早饭 早餐 早点 早上吃 早上一般吃 早上都吃 早上喝",
    "messenger": "钉钉 飞书 企业微信 企微 Slack Teams",
    "pay": "工资 月薪 时薪 一小时 薪水",
    "budget": "预算",
    "llm": "GPT ChatGPT Claude Gemini DeepSeek 通义 Qwen 文心 Kimi 智谱 Llama",
    "cloud": "阿里云 腾讯云 华为云 AWS Azure GCP 火山引擎 Vercel",
    "shift": "夜班 白班 早班 中班 晚班 倒班 长白班",
    "vcs": "SVN Git GitLab GitHub Gitee",
    "room": "主卧 次卧 隔断 单间 整租 床位",
    "os": "Windows macOS Linux Ubuntu 鸿蒙 黑苹果 用Mac 换Mac 换了Mac 双系统 Debian Manjaro",
    "framework": "React Vue Angular Svelte Next.js Django Flask FastAPI SpringBoot Spring Laravel Rails Flutter UniApp",
    "colour": "蓝色 绿色 红色 黄色 黑色 白色 灰色 粉色 紫色 橙色 棕色 米色 青色 金色 银色",
    "team": "球迷 主队 湖人 勇士 皇马 巴萨 曼联 曼城 阿森纳 利物浦 切尔西 国安 申花 尤文 拜仁",
    "carrier": "移动 联通 电信 广电 宽带 网速 千兆 百兆 套餐 SmarTone CSL 中华电信 台湾大哥大 远传",
    "bank": "工资卡 开户行 建行 工行 农行 中行 招行 交行 邮储 中信 浦发 民生 建设银行 工商银行 农业银行 招商银行",
    "role": "班长 学委 队长 社长 领队 课代表 团支书 组织部 宣传部",
    "sleep": "睡觉 入睡 失眠 熬夜 早睡 点睡 才睡",
    "style": "奶油风 中古风 原木风 日式 北欧风 法式 侘寂 极简 美式 新中式 现代简约 工业风",
}
_ENGLISH = {
    "exercise": "gym running jog jogging swim swimming yoga pilates cycling crossfit "
    "spin weights lifting climbing boxing tennis football hiking parkrun",
    "drink": "coffee tea espresso latte beer wine alcohol drink drinking soda matcha kombucha",
    "diet": "vegetarian vegan keto pescatarian carnivore paleo gluten-free dairy-free halal "
    "kosher omnivore plant-based meat",
    "smoking": "smoke smoking smoker cigarettes vape vaping",
    "commute": "commute commuting bus train tube subway tram cycle cycles bike bikes drive drives "
    "driving ferry carpool carpools",
    "car": "car tesla honda toyota ford vw corolla civic prius bmw audi suv van truck ev mazda kia "
    "hyundai subaru nissan volvo mercedes jeep chevy chevrolet lexus fiat renault peugeot "
    "skoda seat_leon camry rav4 hatchback sedan minivan pickup motorbike vauxhall dacia",
    "phone": "iphone pixel galaxy samsung android phone oneplus",
    "computer": "laptop macbook thinkpad pc desktop chromebook imac",
    "camera": "camera fuji fujifilm sony nikon canon leica ricoh lens",
    "editor": "vscode code vim neovim zed emacs sublime pycharm intellij cursor editor",
    "code": "python java javascript typescript golang Go Rust kotlin Swift php Ruby scala perl c++ "
    "c# elixir haskell clojure cobol",
    "os": "linux windows macos ubuntu fedora Arch debian mint_linux pop!_os nixos chromeos",
    "database": "mysql postgres postgresql sqlite mongodb oracle dynamodb database mariadb "
    "cockroachdb redis cassandra firestore supabase snowflake bigquery",
    "browser": "chrome firefox safari Edge Brave opera vivaldi Arc chromium browser",
    "hosting": "heroku fly.io vercel netlify aws gcp azure Render digitalocean railway cloudflare "
    "linode hetzner ec2 lambda kubernetes hosting on-prem",
    "tracker": "jira Linear trello asana clickup basecamp monday.com",
    "notes": "evernote notion obsidian onenote Bear roam logseq apple_notes google_keep notebook",
    "chat": "slack Teams microsoft_teams discord mattermost zulip google_chat",
    "ci": "jenkins circleci travis github_actions gitlab_ci buildkite teamcity ci",
    "framework": "React Vue Angular Svelte next.js nuxt django flask fastapi Rails laravel Spring "
    "Express remix ember jquery sveltekit flutter react_native htmx",
    "carrier": "verizon t-mobile at&t mint_mobile vodafone o2 giffgaff telstra optus comcast xfinity "
    "spectrum broadband fiber fibre ee Three virgin_media",
    "bank": "bank banks chase barclays hsbc lloyds monzo natwest santander nationwide starling revolut "
    "wells_fargo bank_of_america citibank Citi credit_union halifax commbank ally_bank",
    "music": "spotify apple_music tidal deezer youtube_music",
    "storage": "dropbox google_drive onedrive icloud",
    "mail": "gmail outlook protonmail proton_mail hotmail fastmail",
    "console": "ps4 ps5 playstation xbox Switch steam_deck nintendo",
    "reader": "kindle kobo ebooks",
    "watch": "apple_watch garmin fitbit",
    "sight": "glasses contacts contact_lenses lasik",
    "belt": "white_belt yellow_belt orange_belt green_belt blue_belt purple_belt brown_belt "
    "red_belt black_belt",
    "indent": "tabs spaces",
    "supervisor": "boss manager advisor supervisor lead coach teacher tutor landlord",
    "flatmate": "flatmate roommate housemate lodger",
    "partner": "girlfriend boyfriend fiance fiancee husband wife partner engaged married single "
    "dating wedding",
    "medication": "mg tablets medication meds sertraline insulin metformin dose statin inhaler "
    "antihistamine contraceptive pill",
    "weight": "kg lbs pounds stone weigh weighs weight",
    "invest": "invest invests stocks crypto bitcoin etf index fund funds savings isa bonds",
    "learning": "learning studying duolingo lessons classes spanish french german japanese",
    "instrument": "guitar piano violin drums ukulele cello bass",
    "office": "office remote hybrid wfh rto",
    "rent": "rent",
    "pay": "rate charge charges salary wage raise",
    "budget": "budget",
    "seat": "seat window aisle",
    "colour": "blue green red yellow black white grey pink tiles paint",
}

_KINDS = (
    ("咖啡", "美式 拿铁 卡布奇诺 摩卡 浓缩 瑞幸 星巴克 冰美式 手冲"),
    ("酒", "啤酒 白酒 红酒 葡萄酒 威士忌 清酒 鸡尾酒 黄酒 洋酒"),
    ("奶茶", "喜茶 奈雪 蜜雪 霸王茶姬"),
    ("肉", "牛肉 猪肉 羊肉 鸡肉"),
    ("吃素 素食 全素", "素食主义 纯素"),
    ("抽烟 吸烟 烟", "抽烟 吸烟 烟民"),
    ("外卖", "美团 饿了么 骑手"),
    ("住院", "医院 病房 icu 重症"),
    ("coffee", "latte espresso americano cappuccino flat-white mocha"),
    ("alcohol|drinking|booze|drink", "beer wine whisky whiskey gin vodka cocktails pint pints"),
    ("meat", "beef pork lamb chicken steak"),
    ("dairy", "milk cheese yoghurt yogurt butter cream"),
    ("smoking|cigarettes", "smokes smoke smoker vape"),
    ("social media", "instagram tiktok facebook twitter"),
)
"""Names of things, and kinds of them: who gives up coffee gives up lattes."""


def kinds_of(thing: str) -> frozenset[str]:
    """What else a name stands for, folded; empty for most."""
    wanted = fold(thing).strip()
    return frozenset(
        fold(kind)
        for names, kinds in _KINDS
        if wanted in names.split("|")
        for kind in kinds.split()
    )


def words_of(domain: str, language: str = "") -> str:
    """The words that tell a domain, of both languages, or those of one."""
    chinese, english = _CHINESE.get(domain, ""), _ENGLISH.get(domain, "").replace("_", " ")
    return english if language == "en" and english else f"{chinese} {english}"


@lru_cache(maxsize=4_096)
def domains_of(text: str) -> frozenset[str]:
    """The sides of life that a sentence is about."""
    english = _english()
    words = _word().findall(text)
    pairs = [f"{one}_{other}" for one, other in pairwise(words)]
    told = {
        domain
        for word in (*words, *pairs)
        for form in (word, fold(word), fold(word).removesuffix("s"))
        for domain in english.get(form, ())
    }
    if text.isascii():
        return frozenset(told)
    folded = fold(text)
    return frozenset(told | {name for name, pattern in _patterns() if pattern.search(folded)})


@cache
def _english() -> dict[str, tuple[str, ...]]:
    """Domains by the words that tell them; a word with a capital is meant only where it has it."""
    found: dict[str, tuple[str, ...]] = {}
    for domain, words in _ENGLISH.items():
        for word in words.split():
            found[word] = (*found.get(word, ()), domain)
    return found


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[&.+#!'-]+[A-Za-z0-9]+)*(?:[+#]+)?")


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, _any_of(words.split())) for name, words in _CHINESE.items())


def _any_of(words: list[str]) -> re.Pattern[str]:
    return re.compile(
        "|".join(re.escape(fold(word)) for word in sorted(words, key=len, reverse=True))
    )
