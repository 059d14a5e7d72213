"""Sides of life: which kind of thing a sentence is about, so that a change finds what it changes.

`现在改成天天跑步` replaces `每周二去健身房` though they share no word: both are exercise. A
domain is narrow on purpose, a kind of thing that one usually has one of; a sentence may be in
several.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from loxodon.text.words import fold

_CHINESE = {
    "exercise": "健身 跑步 慢跑 夜跑 晨跑 跑5 跑10 公里 游泳 撸铁 瑜伽 普拉提 动感单车 骑行 跳绳 打球 羽毛球 篮球 "
                "网球 乒乓 太极 八段锦 私教 徒步 攀岩 拳击 广场舞",
    "drink": "咖啡 美式 拿铁 奶茶 茶 可乐 啤酒 白酒 红酒 喝酒 饮料 豆浆 牛奶 大麦茶",
    "diet": "吃素 素食 纯素 吃肉 开荤 全素 生酮 轻食 减脂餐 低碳 断食 节食 吃斋 清真 无麸质 忌口",
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
    "rent": "房租 租金 月租",
    "pay": "工资 月薪 时薪 一小时 薪水",
    "budget": "预算",
}  # fmt: skip
_ENGLISH = {
    "exercise": "gym run running runs jog jogging swim swimming yoga pilates cycling crossfit "
                "spin weights lifting climbing boxing tennis football hiking parkrun",
    "drink": "coffee tea espresso latte beer wine alcohol drink drinking soda matcha kombucha",
    "diet": "vegetarian vegan keto pescatarian carnivore paleo gluten-free dairy-free halal "
            "kosher omnivore plant-based meat",
    "smoking": "smoke smoking smoker cigarettes vape vaping",
    "commute": "commute commuting bus train tube subway tram cycle cycles bike bikes drive drives "
               "driving ferry carpool carpools",
    "car": "car tesla honda toyota ford vw golf corolla civic prius bmw audi suv van truck ev",
    "phone": "iphone pixel galaxy samsung android phone oneplus",
    "computer": "laptop macbook thinkpad pc desktop chromebook imac",
    "camera": "camera fuji fujifilm sony nikon canon leica ricoh lens",
    "editor": "vscode code vim neovim zed emacs sublime pycharm intellij cursor editor",
    "code": "python java javascript typescript golang go rust kotlin swift php ruby scala perl",
    "os": "linux windows macos ubuntu fedora arch debian",
    "database": "mysql postgres postgresql sqlite mongodb oracle dynamodb database",
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
    "pay": "rate charge charges salary wage",
    "budget": "budget",
    "seat": "seat window aisle",
    "colour": "blue green red yellow black white grey pink tiles paint",
}  # fmt: skip

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
    ("alcohol|drinking|booze", "beer wine whisky whiskey gin vodka cocktails pint pints"),
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


def words_of(domain: str) -> str:
    """The words that tell a domain, of both languages."""
    return f"{_CHINESE.get(domain, '')} {_ENGLISH.get(domain, '')}"


@lru_cache(maxsize=4_096)
def domains_of(text: str) -> frozenset[str]:
    """The sides of life that a sentence is about."""
    folded = fold(text)
    return frozenset(
        name for name, pattern in (*_patterns(chinese=True), *_patterns(chinese=False))
        if pattern.search(folded)
    )  # fmt: skip


@cache
def _patterns(chinese: bool) -> tuple[tuple[str, re.Pattern[str]], ...]:
    lists = _CHINESE if chinese else _ENGLISH
    return tuple((name, _any_of(words.split(), chinese)) for name, words in lists.items())


def _any_of(words: list[str], chinese: bool) -> re.Pattern[str]:
    some = "|".join(re.escape(fold(word)) for word in sorted(words, key=len, reverse=True))
    return re.compile(some if chinese else rf"\b(?:{some})s?\b")
