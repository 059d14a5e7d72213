"""The words of dates in Chinese and English: what the rules of `dates` read.

A part of `dates`; nobody else uses it.
"""

from __future__ import annotations

# --- The words ------------------------------------------------------------------------------------
# Fragments (NAME = pattern) and rules: the resolver and what the rule begins with, then its pattern
# on indented lines. A rule begins with one of the words, or of the characters (before one of those
# in [], if any), or with digits (#) or numerals (〇). Patterns see small half-width letters and
# simplified characters. They repeat nothing without a bound, save lists that are then read whole.

GRAMMAR = r"""
NUM = [〇零一二两三四五六七八九十廿卅百半几]
N = [0-9]{1,2}|[一二三四五六七八九十廿卅]{1,3}
WEEK = 周|星期|礼拜
WD = (?:(?<=从.)一(?=起)|(?<=从..)一(?=起)|(?<=从...)一(?=起)|一(?!起(?![床飞诉])|[直定样共同切般块路边些年半度])|[二三四五六](?!十)
    |日(?![本元语常程报记期])|天(?![气天津然空])|[1-7](?![0-9.:]))(?![个次篇件条遍趟种份名位项只张])
EDGE = [上中下]旬|初(?![一二三中级步恋次])|中(?![心国午秋间])|底|末(?!日)|尾
MANYZH = (?P<many>[0-9]{1,4}|{NUM}{1,5})(?P<ge>个?)[多来]?(?P<plus>半?)
    (?P<unit>分钟|小时|钟头|天|日|周|星期|礼拜|月|季度|年)(?P<more>半?)
YEARZH = 大?[前后]年|[去今本明]年|(?:[0-9]{4}|[〇零一二三四五六七八九]{4}|[0-9]{2}) ?年(?!代)
MON = jan(?:uary)?\b|feb(?:ruary)?\b|mar(?:ch)?\b|apr(?:il)?\b|may\b|june?\b|july?\b|aug(?:ust)?\b
    |sept?(?:ember)?\b|oct(?:ober)?\b|nov(?:ember)?\b|dec(?:ember)?\b
DAY = mon|tues|wednes|thurs|fri|satur|sun
WDAY = {DAY}day\b|mon\b|tues?\b|wed\b|thurs?\b|thu\b|fri\b|sat\b|sun\b
DAYS = (?:{DAY}days?\b|{WDAY})(?:(?:,? and |, ?| & |/)(?:{DAY}days?\b|{WDAY}))*
SEASON = spring\b|summer\b|autumn\b|fall\b|winter\b
PART = morning|afternoon|evening|night
COUNT = an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty
MANY = (?P<many>(?:an? )?half(?: an?)?|an? couple(?: of)?|(?:an? )?few|several|[0-9]{1,4}|{COUNT})
    (?P<plus> and a half)? (?P<unit>min(?:ute)?|hour|hr|day|week|fortnight|month|quarter|year
    |decade)s?\b(?P<more> and a half)?
YEAR = (?P<year>[0-9]{4}(?![0-9])|(?:last|this|next) year\b)
TH = (?:st|nd|rd|th)\b

iso: #
    (?P<y>[0-9]{4})(?P<sep>[-/.]?)(?P<m>[0-9]{1,2})(?:(?P=sep)(?P<d>[0-9]{1,2}))?
    (?:[t ](?P<h>[0-9]{2}):(?P<min>[0-9]{2})(?::(?P<s>[0-9]{2})(?:[.,][0-9]{1,9})?)?
    (?: ?(?P<z>z\b|[+-][0-9]{2}:?[0-9]{2}))?)?(?![0-9年]|[-/.:][0-9])
nth: 每上下这本[个月] # 〇
    (?:(?P<which>每|上|下|这|本)个?月的?|(?:(?P<year>{YEARZH}) ?的?)?(?P<month>{N})月份?的?)
    (?P<nth>第[一二三四五]|最后一)个?{WEEK}(?P<weekday>{WD})
day_word: 今昨明[天日儿早晚晨夜] 前后[天日儿晚] 大[前后]
    (?P<day>大?[前后]|[昨今明])(?:[天日]|儿个?|(?=[早晚晨夜]))
relative: 上下这本[上下个一周星礼月季]
    (?P<which>上上|上|下下|下|这|本)(?:[个一]?{WEEK}(?P<weekday>末|{WD})?
    |个?(?P<unit>月(?![球亮饼薪经])|季度)(?:的?(?P<edge>{EDGE})|的?(?P<day>{N})[日号])?
    |个(?P<name>[春夏秋冬])天)
bare_week: 周 星礼[期拜]
    {WEEK}(?P<weekday>末|{WD})
month_day: 月[初底末尾]
    月(?P<edge>.)
away: # 〇
    {MANYZH}[之以]?(?P<way>前(?![程途面往台])|后(?![悔面续])|内)
away: 过[#〇] 再[过]
    (?:再|(?<![当待做干教住学读吃用养开跑打玩练写卖租追等谈处呆混管带])){1}(?P<lead>过){MANYZH}[之以]?后?(?![了的])
stretch: 最[近] 过[去] 近这前[#〇] 未[来] 接[下] 往今[后]
    (?P<lead>最近|过去|近|这|前|未来|接下来|今后|往后)的?这?{MANYZH}
zh_calendar: # 〇 今去明本前后[年] 大[前后] 第 上下前后[半] 年[初中底末尾] 春夏秋冬[天季]
    (?:(?P<year>{YEARZH})(?: ?的)? ?)?(?:(?P<month>{N}) ?月份?
    (?: ?的?(?P<day>{N}) ?[日号]|的?(?P<edge>{EDGE}))?|(?P<season>[春夏秋冬])[天季]
    |(?:第|q)?(?P<quarter>[一二三四1-4])(?:季度|(?<=q[1-4])(?![0-9a-z]))|(?P<half>[上下前后])半年
    |(?P<end>年[初底末尾]|年中(?![国秋])|(?<=年)(?:初(?![一二三中级])|[底末尾])))?
month_day: # 〇
    (?P<day>{N})(?:号|(?<=[0-9])日)(?!会议|出口|[上中下]铺)
    (?=$|\W|[我你他她去要会早上下中晚到至开前之以后那就是的来交和跟与在有出考回也都还才])
decade: # 〇 上[个世]
    (?P<century>(?:上个?|20|二十)世纪)?
    (?P<decade>[0-9]{4}|[0-9]0|[一二三四五六七八九〇零][十零〇]) ?年代
every: 每
    每隔?(?:[0-9]{1,2}|{NUM}{1,2})?个?
    (?:{WEEK}(?:(?P<weekday>末)|(?P<days>{WD}(?:[、,和及]?{WEEK}?{WD})*))|(?=[早晚])
    |(?P<unit>天|日|周|星期|礼拜|月|季度|年|工作日)(?:的?(?P<month>{N})月)?
    (?:的?(?P<edge>{EDGE})|的?(?P<day>{N})[日号]|的?(?P<season>[春夏秋冬])[天季])?)

nth: the first second third fourth fifth last
    (?:the )?(?P<nth>first|second|third|fourth|fifth|last) (?P<weekday>{DAY})days? (?:of|in)\ (?:
    (?P<which>the|each|every|this|last|next) month\b|(?P<month>{MON})(?:,? (?:of )?{YEAR})?)
nth: the first second third fourth fifth last
    (?:the )?(?P<nth>first|second|third|fourth|fifth|last) (?P<weekday>{DAY})days? (?P<which>each|every) month\b
day_word: today tomorrow yesterday tonight the day this last
    (?:the )?(?P<day>day after tomorrow|day before yesterday|today|tomorrow|yesterday)\b
    |(?P<part>this (?:morning|afternoon|evening)|last night|tonight)\b
relative: last next this past previous coming the
    (?P<the>the )?(?P<which>last|next|this coming|this past|this|past|previous|coming)\ (?:
    (?P<unit>week|month|quarter|year|decade)\b(?! of\b)|(?P<weekday>{WDAY}|weekend\b)
    |(?P<name>{SEASON}|{MON}))
relative: the
    the (?:(?P<unit>week|month|year)|(?P<weekday>weekend|{WDAY})) (?P<which>before last|after next)\b
relative: earlier later
    (?P<which>earlier|later) (?:this|in the) (?P<unit>week|month|quarter|year)\b
bare_week: a
    a (?P<later>week|fortnight) (?:on|from) (?P<weekday>{WDAY})
bare_week: {DAY}
    (?P<weekday>{WDAY}) (?P<later>week|fortnight)\b
bare_week: {DAY}
    (?<!ash )(?<!good )(?<!black )(?<!cyber )(?<!easter )(?<!palm )(?<!super )
    (?P<weekday>{WDAY})(?! (?:mornings|afternoons|evenings|nights)\b)
bare_week: the
    the (?P<weekday>weekend)\b
away: # half several few {COUNT}
    {MANY} (?P<way>ago|back|hence|from now|from today|from tomorrow)\b
away: # two three four five six seven eight nine ten
    (?P<many>[0-9]{1,2}|{COUNT}) (?P<name>spring|summer|autumn|fall|winter)s (?P<way>ago)\b
away: in within
    (?P<lead>in|within) {MANY}
stretch: the last past previous next coming following
    (?:the )?(?P<lead>last|past|previous|next|coming|following) {MANY}
en_month: {MON}
    (?P<month>{MON})(?:\.(?= [0-9]))?(?: (?:the )?(?P<day>[0-9]{1,2}){TH}?
    (?![0-9:%a-z]| ?[ap]\.?m\b|[.,][0-9](?![0-9]{3}\b)))?(?:(?:,? (?:of )?|,){YEAR})?
en_month: # the
    (?:the )?(?P<day>[0-9]{1,2}){TH}?(?: of)?[ -](?P<month>{MON})(?:\.(?=,? [0-9]))?(?:,? {YEAR})?
month_day: the
    the (?P<day>[0-9]{1,2}){TH}(?: of (?P<which>every|each|this|next|last) month\b)?
en_year: #
    (?P<year>[0-9]{4})(?![0-9年月日号点:a-z]|[-/.,:][0-9])
calendar: q
    q(?P<quarter>[1-4])(?![0-9a-z])(?:,? (?:of )?{YEAR})?
calendar: #
    (?P<year>[0-9]{4}) ?(?:q(?P<quarter>[1-4])|h(?P<half>[12]))\b
calendar: the first second third fourth
    (?:the )?(?:(?P<quarter>first|second|third|fourth) quarter|(?P<half>first|second) half)
    \ of (?P<year>[0-9]{4}(?![0-9])|(?:the|last|this|next) year\b)
en_season: the spring summer autumn fall winter
    (?:the )?(?P<season>{SEASON})(?:(?: of)?,? {YEAR})?
decade: the #
    (?P<century>the )?'?(?P<decade>[0-9]{3}0|[0-9]0)s\b
every: every each
    (?:every|each) (?:other |second |single |[0-9]{1,2} |two |three )?
    (?:(?P<weekday>weekends?)\b|(?P<days>weekdays?\b|{DAYS})|(?P<part>{PART})\b
    |(?P<season>{SEASON})|(?P<month>{MON})|(?P<unit>day|week|month|quarter|year)s?\b)
    (?: on the (?P<day>[0-9]{1,2}){TH})?
every: weekly weekdays weekends {DAY}
    (?P<weekday>weekends)\b|(?P<days>weekly on {DAYS}|weekdays\b|{DAY}days\b(?:(?:,? and |, ?)
    {DAY}days\b)*|{DAY}day(?= (?:mornings|afternoons|evenings|nights)\b))
every: daily monthly
    (?P<unit>daily|monthly)(?= at | on the )(?: on the (?P<day>[0-9]{1,2}){TH})?
now: now 现
    now\b|现在

time_part: 凌清早晨大上中正午下傍黄晚夜深 〇
    (?P<part>凌晨|清晨|清早|大早|早晨|早上|早间|上午|中午|正午|午后|下午|傍晚|黄昏|晚上|晚间|夜里
    |夜晚|夜间|深夜|半夜|午夜|[早晚晨夜])(?![好茶饭餐安会班宴])(?:的(?=[0-9]|{NUM}))?
time_part: the morning afternoon evening night
    (?:the )?(?P<of>{PART}) of(?= )|(?P<part>{PART})\b
time_zh: # 〇
    (?P<h>[0-9]{1,2}|[零〇一二两三四五六七八九十]{1,3}) ?(?P<mark>[点时])
    (?:(?P<half>半)|(?P<quarter>[一三])刻|过?(?P<m>[0-9]{1,2}|[零〇一二三四五六七八九十]{1,3})分
    |(?P<mm>[0-5][0-9]|[二三四五]?十[一二三四五六七八九]?)(?![0-9个])|(?P<full>钟|整))?
time_en: noon midday midnight half quarter # {COUNT}
    (?P<word>noon|midday|midnight)\b|(?:(?:a )?(?P<past>half past|quarter past|quarter to) )?
    (?P<h>[0-9]{1,2}(?![0-9])|{COUNT}\b)(?::(?P<m>[0-5][0-9])(?::[0-5][0-9])?(?![0-9:]| min))?
    (?P<full> o'?clock\b)?(?: ?(?P<ampm>[ap]m\b|[ap]\.m\.?)|(?: in the| at) (?P<part>{PART})\b
    |(?= ?(?:-|to) ?[0-9]{1,2}(?::[0-9]{2})? ?(?P<later>[ap])\.?m\b))?
"""


def _numbered(words: str, first: int = 0) -> dict[str, int]:
    return {word: n for n, word in enumerate(words.split(), first)}


NUM = "〇零一二两三四五六七八九十廿卅百半几"
DIGIT = _numbered("零 一 二 三 四 五 六 七 八 九") | {"〇": 0, "两": 2}
COUNT = _numbered("one two three four five six seven eight nine ten eleven twelve", 1)
COUNT |= {"a": 1, "an": 1, "fifteen": 15, "twenty": 20, "thirty": 30}
MONTH = _numbered("jan feb mar apr may jun jul aug sep oct nov dec", 1)
WEEKDAY = _numbered("mon tue wed thu fri sat sun") | _numbered("一 二 三 四 五 六 日")
WEEKDAY |= _numbered("1 2 3 4 5 6 7") | {"天": 6}
SEASON = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
SEASON |= {"春": 3, "夏": 6, "秋": 9, "冬": 12}
ORDINAL = _numbered("first second third fourth fifth", 1) | {"上": 1, "前": 1, "下": 2, "后": 2}
MONTHS = "January February March April May June July August September October November December"
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
BEGINNINGS = {
    "COUNT": " ".join(COUNT),
    "MON": f"{MONTHS.lower()} {' '.join(MONTH)} sept",
    "DAY": f"{_DAYS} {_DAYS.replace('y', 'ys')} mon tue tues wed thu thur thurs fri sat sun",
}
UNITS = {
    "分钟": "minute",
    "小时": "hour",
    "钟头": "hour",
    "天": "day",
    "日": "day",
    "周": "week",
    "星期": "week",
    "礼拜": "week",
    "月": "month",
    "季度": "quarter",
    "年": "year",
    "min": "minute",
    "hr": "hour",
    "fortnight": "week",
    "daily": "day",
    "monthly": "month",
}
HALF = {
    "minute": ("minute", 1),
    "hour": ("minute", 30),
    "day": ("hour", 12),
    "week": ("day", 4),
    "month": ("week", 2),
    "quarter": ("month", 2),
    "year": ("month", 6),
    "decade": ("year", 5),
}
MONTHS_IN = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
OFF = {
    "大前": -3,
    "前": -2,
    "昨": -1,
    "今": 0,
    "明": 1,
    "后": 2,
    "大后": 3,
    "去": -1,
    "本": 0,
    "上上": -2,
    "上": -1,
    "这": 0,
    "下": 1,
    "下下": 2,
    "today": 0,
    "tomorrow": 1,
    "yesterday": -1,
    "day after tomorrow": 2,
    "day before yesterday": -2,
    "last night": -1,
    "last": -1,
    "past": -1,
    "previous": -1,
    "this past": -1,
    "this": 0,
    "the": 0,
    "next": 1,
    "coming": 1,
    "this coming": 1,
    "before last": -2,
    "after next": 2,
}
EDGE = {
    "start": 0,
    "beginning": 0,
    "early": 0,
    "middle": 1,
    "mid": 1,
    "end": 2,
    "late": 2,
    "初": 0,
    "上": 0,
    "中": 1,
    "底": 2,
    "末": 2,
    "尾": 2,
    "下": 2,
}
EDGES = {
    "week": ("day", (0, 2), (2, 4), (4, 7)),
    "month": ("day", (0, 10), (10, 20), (20, 31)),
    "quarter": ("month", (0, 1), (1, 2), (2, 3)),
    "season": ("month", (0, 1), (1, 2), (2, 3)),
    "year": ("month", (0, 2), (5, 7), (10, 12)),
    "span": ("month", (0, 36), (36, 84), (84, 120)),
}
HOURS = {
    "凌": (0, 6),
    "清": (6, 12),
    "早": (6, 12),
    "上": (6, 12),
    "晨": (6, 12),
    "大": (6, 12),
    "中": (11, 13),
    "正": (11, 13),
    "午": (12, 18),
    "下": (12, 18),
    "傍": (17, 20),
    "黄": (17, 20),
    "晚": (18, 24),
    "夜": (18, 24),
    "深": (22, 28),
    "半": (22, 28),
    "morning": (6, 12),
    "afternoon": (12, 18),
    "evening": (18, 24),
    "night": (18, 24),
    "tonight": (18, 24),
}
CUES = (
    r"(?P<past>了(?![解不])|(?<![度通超经日号天末月年一二三四五六])过(?![年节来去程度敏几两一三])|曾|刚|[做结考买生搬开办拿修动]的(?!时)|\b(?:was|were|had|did|been"
    r"|went|(?<!'ve )(?<!have )(?<!has )got|came|won|saw|met|took|left|said|told|bought|made|ate|ran|began|broke|gave|found|felt"
    r"|lost|spent|wrote|sent|slept|woke|paid|quit|flew|drove|hurt|fell|tore|caught|sold|built|kept|rode|swam|drank|forgot|spoke|(?<!be )(?!need|feed|speed|hundred"
    r"|indeed|moved to|scheduled|booked|planned|\w+d for|\wed\b)[a-z]{1,15}ed)\b)"
    r"|(?P<ahead>要(?![求紧是不点素么])|将(?![军来近])"
    r"|(?<![开大年机社晚聚约宴周例班])会(?![议员计场面谈社])|打算|准备|计划|预计|想|提醒|记得"
    r"|别忘|截止|到期|吧|约[了的在到]|预约|订了|订好|报名了?|出发|报到|'ll\b|\b(?:will|going to|gonna|shall|plans?|planning|want|need|must|should"
    r"|remind|ha(?:ve|s) to|hope|expect|booked|starts|begins|(?<!was )(?<!were )due|let's)\b|(?:'m|'re|\bam|\bare|\bis) [a-z]+ing\b)"
    r"|(?P<habit>每[周天年个次月]|一般|通常|经常|总是|平时|往往|喜欢"
    r"|\b(?:usually|always|often|never|normally)\b)"
    r"|(?P<due>考试|[高中]考|考研|面试|答辩|婚礼|开学|上线|发布|交付|验收|评审|手术|复查|体检|入职|航班|演唱会|马拉松"
    r"|比赛|交房|预产期|毕业|退休|上(?:幼儿园|小学|初中|高中|大学)|\b(?:exams?|finals|tests?|deadline|appointment"
    r"|interview|wedding|flight|launch|release|lease|visa|contract|marathon|race|concert|conference|hearing"
    r"|surgery|operation|check-?up|handover|demo|presentation|graduation|recital|viva|start|starting"
    r"|ends|expires|leaves|departs|renews|opens|closes|runs (?:out|until|till))\b)"
)
