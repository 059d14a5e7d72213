"""Ways of life that nobody has together, in Chinese: who saves each month is no 月光族.

Each pair has the words of one side and of the other. They are told by the words alone, so only words
stand here that say what someone does as a rule.
"""

from __future__ import annotations

from functools import cache

_PAIRS = (
    (
        "月光族 月光 花光 存不下钱 存不住钱 到手就没 没存款 大手大脚 剁手 买买买",
        "记账 每月存 每个月存 开始存钱 攒钱 强制储蓄 存了 定存 省吃俭用",
    ),
    (
        "每周买新衣服 买新衣服 快时尚 剁手 买买买 囤货",
        "断舍离 不买衣服 不买新衣服 极简 就添 只添 只买必需 消费降级 不囤",
    ),
    (
        "宅得 宅男 宅女 宅家 不出门 床上过 躺一天 躺平 懒得动 从不运动 不爱动 能躺着",
        "徒步 爬山 往山里 露营 往外跑 户外 跑步 健身 夜跑 晨跑 骑行 天天运动 撸铁",
    ),
    (
        "老烟枪 烟瘾 抽烟 一天两包 一天一包 烟不离手 烟民",
        "戒烟 不抽 闻都不闻 烟味都 戒了烟 一根不碰 一根没抽",
    ),
    (
        "酒鬼 酒蒙子 天天喝酒 顿顿喝 无酒不欢 爱喝两口 嗜酒 喝大酒 每晚一杯",
        "戒酒 滴酒不沾 不喝酒 一口不喝 以茶代酒 喝茶代替",
    ),
    (
        "出门必开车 开车上班 出门就打车 打车上下班 出门就开车",
        "两条腿 走路上班 步行 骑车上班 骑共享单车 坐地铁 绿色出行 挤地铁 坐公交",
    ),
    (
        "刷短剧 刷短视频 刷手机 刷抖音 网瘾 手机不离手 追剧到 打游戏到 游戏迷",
        "捧本书 看书 读书 卸载了 不刷了 睡前读 戒了短视频",
    ),
    (
        "社恐 不敢接电话 电话都不敢 怕见人 不爱说话 内向 话少",
        "见谁都能 能唠 社牛 自来熟 话多了 敢上台 开朗",
    ),
    (
        "工作狂 加班到 假日也进公司 周末也加班 天天加班 996 卷王",
        "准时下班 准时走 准点下班 到点走人 不加班 五点走 躺平 摸鱼 早退",
    ),
    (
        "夜猫子 熬夜 凌晨才睡 半夜才睡 修仙 通宵",
        "早睡 十点就睡 十点睡 十点半睡 不熬夜 十一点前睡 早睡早起 五点起 五点半起 六点起",
    ),
    (
        "无辣不欢 顿顿辣 嗜辣 爱吃辣 火锅党 重口味 重油重盐 口味重",
        "清淡 不吃辣 一点辣 不沾辣 白粥 水煮 戒辣 养胃 少油少盐 忌辛辣",
    ),
    (
        "外卖党 天天外卖 顿顿外卖 靠外卖 点外卖 从不做饭 不开火 不会做饭",
        "自己做饭 自己做 自己带饭 带饭 开火 下厨 天天做饭",
    ),
    (
        "甜食控 嗜甜 奶茶当水 天天奶茶 一天一杯奶茶 奶茶续命 无糖不欢 爱吃甜 可乐当水",
        "控糖 戒糖 无糖 不吃甜 断糖 只喝白水 喝白开水 不喝奶茶",
    ),
    (
        "咖啡续命 咖啡当水 离不开咖啡 一天三杯咖啡 咖啡重度",
        "不喝咖啡 戒咖啡 改喝茶 喝大麦茶 一杯不碰 咖啡一口不",
    ),
    (
        "肉食动物 无肉不欢 顿顿肉 顿顿有肉 爱吃肉 大口吃肉 肉食",
        "吃素 素食 不沾荤 不吃肉 吃斋 全素 蔬菜为主",
    ),
    (
        "吃素 素食 纯素 不吃肉 吃斋",
        "开荤 吃肉了 顿顿肉 恢复吃肉",
    ),
    (
        "丢三落四 乱糟糟 邋遢 从不收拾 拖延症 拖延",
        "断舍离 井井有条 天天收拾 列清单 提前做完 当天做完",
    ),
    (
        "独来独往 不婚 单身主义 一个人挺好 不想结婚 丁克 不要孩子 不生",
        "结婚了 订婚了 谈恋爱 怀孕了 备孕 生了",
    ),
    (
        "不看书 从不看书 看不进书",
        "每天看书 一周一本 读完",
    ),
)


@cache
def _sides() -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    return tuple((tuple(one.split()), tuple(other.split())) for one, other in _PAIRS)


def tells_habit(text: str) -> bool:
    """Whether a sentence is on one side of a pair."""
    return any(_has(text, one) or _has(text, other) for one, other in _sides())


def opposed(new: str, old: str) -> bool:
    """Whether two sentences tell two sides of one pair."""
    for one, other in _sides():
        for ours, theirs in ((one, other), (other, one)):
            if _has(new, ours) and _has(old, theirs) and not _has(new, theirs):
                return not _has(old, ours)
    return False


def _has(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)
