"""Dates in sentences as people write them, read on Wednesday 4 February 2026, 10:30 in Shanghai."""

from __future__ import annotations

from datetime import date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loxodon.text.dates import Moment, absolute, find_asked, find_moments, format_date, parse_moment
from tests.each import each
from tests.growth import linear
from tests.long import count

ZONE = timezone(timedelta(hours=8))
AT = datetime(2026, 2, 4, 10, 30, tzinfo=ZONE)
Case = tuple[str, str, str, str, str]
"""(sentence, the words that name the moment, since, until, grain)"""

CHINESE: list[Case] = [
    ("今天天气不错，适合出去走走", "今天", "2026-02-04", "2026-02-05", "day"),
    ("明天要开会，记得带电脑", "明天", "2026-02-05", "2026-02-06", "day"),
    ("我昨天跟老板谈了加薪的事", "昨天", "2026-02-03", "2026-02-04", "day"),
    ("后天是我妈生日", "后天", "2026-02-06", "2026-02-07", "day"),
    ("大后天的机票已经买好了", "大后天", "2026-02-07", "2026-02-08", "day"),
    ("前天吃坏了肚子", "前天", "2026-02-02", "2026-02-03", "day"),
    ("大前天你说的那本书叫什么来着", "大前天", "2026-02-01", "2026-02-02", "day"),
    ("上周三我们讨论过数据库选型", "上周三", "2026-01-28", "2026-01-29", "day"),
    ("下周一之前要把报告交上去", "下周一", "2026-02-09", "2026-02-10", "day"),
    ("这周五一起吃饭吧", "这周五", "2026-02-06", "2026-02-07", "day"),
    ("这周末想去爬山", "这周末", "2026-02-07", "2026-02-09", "span"),
    ("上个周末在家躺了两天", "上个周末", "2026-01-31", "2026-02-02", "span"),
    ("周末要加班", "周末", "2026-02-07", "2026-02-09", "span"),
    ("星期天带孩子去动物园", "星期天", "2026-02-08", "2026-02-09", "day"),
    ("礼拜二有瑜伽课", "礼拜二", "2026-02-10", "2026-02-11", "day"),
    ("周一我去了趟医院，医生说没事", "周一", "2026-02-02", "2026-02-03", "day"),
    ("上上周五发的版本有问题", "上上周五", "2026-01-23", "2026-01-24", "day"),
    ("下下周我休假", "下下周", "2026-02-16", "2026-02-23", "week"),
    ("上星期一直在下雨", "上星期", "2026-01-26", "2026-02-02", "week"),
    ("下周一起去看电影好吗", "下周", "2026-02-09", "2026-02-16", "week"),
    ("上個禮拜五我搬家了", "上個禮拜五", "2026-01-30", "2026-01-31", "day"),
    ("這週四要交房租", "這週四", "2026-02-05", "2026-02-06", "day"),
    ("三天前我把密码改了", "三天前", "2026-02-01", "2026-02-02", "day"),
    ("两周后有个马拉松", "两周后", "2026-02-16", "2026-02-23", "week"),
    ("半年前我开始学西班牙语", "半年前", "2025-08-01", "2025-09-01", "month"),
    ("医生说3个月以后复查", "3个月以后", "2026-05-01", "2026-06-01", "month"),
    ("我两年前从上海搬到了成都", "两年前", "2024-01-01", "2025-01-01", "year"),
    ("半小时前服务器挂了", "半小时前", "2026-02-04T10:00", "2026-02-04T10:01", "minute"),
    ("二十分钟后提醒我关火", "二十分钟后", "2026-02-04T10:50", "2026-02-04T10:51", "minute"),
    ("两个小时以前他打过电话来", "两个小时以前", "2026-02-04T08:30", "2026-02-04T08:31", "minute"),
    ("十五天之后合同到期", "十五天之后", "2026-02-19", "2026-02-20", "day"),
    ("几天前她就告诉我了", "几天前", "2026-01-29", "2026-02-03", "span"),
    ("兩個月前剛換了手機", "兩個月前", "2025-12-01", "2026-01-01", "month"),
    ("过两天再跟你说", "过两天", "2026-02-06", "2026-02-07", "day"),
    ("上个月的电费太高了", "上个月", "2026-01-01", "2026-02-01", "month"),
    ("下个月底要发布新版本", "下个月底", "2026-03-21", "2026-04-01", "span"),
    ("月初发工资，月底就没了", "月初", "2026-02-01", "2026-02-11", "span"),
    ("今年年底我们打算结婚", "今年年底", "2026-11-01", "2027-01-01", "span"),
    ("去年我体重最高的时候有九十公斤", "去年", "2025-01-01", "2026-01-01", "year"),
    ("前年冬天特别冷", "前年冬天", "2024-12-01", "2025-03-01", "season"),
    ("明年三月宝宝就出生了", "明年三月", "2027-03-01", "2027-04-01", "month"),
    ("去年夏天去了冰岛", "去年夏天", "2025-06-01", "2025-09-01", "season"),
    ("第三季度的目标定得太高", "第三季度", "2025-07-01", "2025-10-01", "quarter"),
    ("上半年要把驾照考下来", "上半年", "2026-01-01", "2026-07-01", "span"),
    ("去年下半年一直在找工作", "去年下半年", "2025-07-01", "2026-01-01", "span"),
    ("2025年Q4营收翻倍", "2025年Q4", "2025-10-01", "2026-01-01", "quarter"),
    ("这个季度要冲业绩", "这个季度", "2026-01-01", "2026-04-01", "quarter"),
    ("本月15号还信用卡", "本月15号", "2026-02-15", "2026-02-16", "day"),
    ("下个月3号我要去深圳出差", "下个月3号", "2026-03-03", "2026-03-04", "day"),
    ("明年年初换房子", "明年年初", "2027-01-01", "2027-03-01", "span"),
    ("2025年底项目上线", "2025年底", "2025-11-01", "2026-01-01", "span"),
    ("会议改到2026年2月4日了", "2026年2月4日", "2026-02-04", "2026-02-05", "day"),
    ("截止日期是2026-03-15，别忘了", "2026-03-15", "2026-03-15", "2026-03-16", "day"),
    ("合同签于2024/7/1", "2024/7/1", "2024-07-01", "2024-07-02", "day"),
    ("拍摄于2023.10.7北京", "2023.10.7", "2023-10-07", "2023-10-08", "day"),
    ("2月14号是情人节，订个餐厅", "2月14号", "2026-02-14", "2026-02-15", "day"),
    ("12月25日我们在东京过的圣诞", "12月25日", "2025-12-25", "2025-12-26", "day"),
    ("二〇二六年二月四日立春", "二〇二六年二月四日", "2026-02-04", "2026-02-05", "day"),
    ("15号我要去办签证", "15号", "2026-02-15", "2026-02-16", "day"),
    ("２０２６年３月８日三八节放半天假", "２０２６年３月８日", "2026-03-08", "2026-03-09", "day"),
    ("我2019年毕业于浙大", "2019年", "2019-01-01", "2020-01-01", "year"),
    ("三月份我去过一次西安", "三月份", "2025-03-01", "2025-04-01", "month"),
    ("五月要考雅思", "五月", "2026-05-01", "2026-06-01", "month"),
    ("2024年11月入职现在的公司", "2024年11月", "2024-11-01", "2024-12-01", "month"),
    ("10月中旬去看红叶了", "10月中旬", "2025-10-11", "2025-10-21", "span"),
    ("二零二五年十二月三十一号跨年", "二零二五年十二月三十一号", "2025-12-31", "2026-01-01", "day"),
    ("3 月 5 日要交论文初稿", "3 月 5 日", "2026-03-05", "2026-03-06", "day"),
    ("98年我出生在一个小县城", "98年", "1998-01-01", "1999-01-01", "year"),
    ("下午三点有个面试", "下午三点", "2026-02-04T15:00", "2026-02-04T16:00", "hour"),
    ("晚上8点半叫我吃药", "晚上8点半", "2026-02-04T20:30", "2026-02-04T20:31", "minute"),
    ("闹钟定在早上七点一刻", "早上七点一刻", "2026-02-04T07:15", "2026-02-04T07:16", "minute"),
    ("会议室订的是15:30", "15:30", "2026-02-04T15:30", "2026-02-04T15:31", "minute"),
    ("今晚一起打游戏？", "今晚", "2026-02-04T18:00", "2026-02-05", "part"),
    ("明天下午三点在老地方见", "明天下午三点", "2026-02-05T15:00", "2026-02-05T16:00", "hour"),
    ("后天早上去体检，不能吃早饭", "后天早上", "2026-02-06T06:00", "2026-02-06T12:00", "part"),
    ("下周二上午10点跟客户开会", "下周二上午10点", "2026-02-10T10:00", "2026-02-10T11:00", "hour"),
    (
        "2026年3月1日晚上七点半的演唱会",
        "2026年3月1日晚上七点半",
        "2026-03-01T19:30",
        "2026-03-01T19:31",
        "minute",
    ),
    ("昨晚十一点才到家", "昨晚十一点", "2026-02-03T23:00", "2026-02-04", "hour"),
    ("明早九点出发", "明早九点", "2026-02-05T09:00", "2026-02-05T10:00", "hour"),
    ("凌晨两点被吵醒了", "凌晨两点", "2026-02-04T02:00", "2026-02-04T03:00", "hour"),
    ("周五晚上有空吗", "周五晚上", "2026-02-06T18:00", "2026-02-07", "part"),
    ("我们三点见，别迟到", "三点", "2026-02-04T15:00", "2026-02-04T16:00", "hour"),
    ("今天中午吃的是麻辣烫", "今天中午", "2026-02-04T11:00", "2026-02-04T13:00", "part"),
    ("昨天14:05收到验证码", "昨天14:05", "2026-02-03T14:05", "2026-02-03T14:06", "minute"),
    (
        "明天下午3點45分要接小孩",
        "明天下午3點45分",
        "2026-02-05T15:45",
        "2026-02-05T15:46",
        "minute",
    ),
    ("上午9时30分开庭", "上午9时30分", "2026-02-04T09:30", "2026-02-04T09:31", "minute"),
    ("昨天半夜两点还在改代码", "昨天半夜两点", "2026-02-04T02:00", "2026-02-04T03:00", "hour"),
    ("今天下午茶吃什么", "今天", "2026-02-04", "2026-02-05", "day"),
    ("最近三天都没睡好", "最近三天", "2026-02-01", "2026-02-05", "span"),
    ("过去一周我跑了三十公里", "过去一周", "2026-01-28", "2026-02-05", "span"),
    ("近半年血压一直偏高", "近半年", "2025-08-04", "2026-02-05", "span"),
    ("未来两周都在出差", "未来两周", "2026-02-04", "2026-02-19", "span"),
    ("接下来三个月专心备考", "接下来三个月", "2026-02-04", "2026-05-05", "span"),
    ("展览3月1日到5日在美术馆举行", "3月1日到5日", "2026-03-01", "2026-03-06", "span"),
    ("从周一到周五都要上班", "从周一到周五", "2026-02-09", "2026-02-14", "span"),
    ("2019年到2021年我在德国读研", "2019年到2021年", "2019-01-01", "2022-01-01", "span"),
    ("下午两点到四点不要打扰我", "下午两点到四点", "2026-02-04T14:00", "2026-02-04T16:00", "span"),
    ("90年代的老歌我最喜欢", "90年代", "1990-01-01", "2000-01-01", "span"),
    ("八十年代爸妈住在四合院", "八十年代", "1980-01-01", "1990-01-01", "span"),
    ("明天meeting改到3pm", "明天", "2026-02-05", "2026-02-06", "day"),
    ("deadline是下周五，请尽快", "下周五", "2026-02-13", "2026-02-14", "day"),
    ("这个月的房租还没付", "这个月", "2026-02-01", "2026-03-01", "month"),
    ("一年半前做的手术", "一年半前", "2024-08-01", "2024-09-01", "month"),
    (
        "周六下午五点半的高铁要改签",
        "周六下午五点半",
        "2026-02-07T17:30",
        "2026-02-07T17:31",
        "minute",
    ),
    ("明儿个我请客", "明儿个", "2026-02-05", "2026-02-06", "day"),
    (
        "2月4日（周三）下午2点线上评审",
        "2月4日（周三）下午2点",
        "2026-02-04T14:00",
        "2026-02-04T15:00",
        "hour",
    ),
    ("两三天前刚修好的空调又坏了", "两三天前", "2026-02-01", "2026-02-03", "span"),
    ("廿五号要去接外婆", "廿五号", "2026-02-25", "2026-02-26", "day"),
    ("奶奶大年初二来过，上礼拜又摔了一跤", "上礼拜", "2026-01-26", "2026-02-02", "week"),
    ("我的驾照2027年6月到期", "2027年6月", "2027-06-01", "2027-07-01", "month"),
    ("房东说下个月1号开始涨租", "下个月1号", "2026-03-01", "2026-03-02", "day"),
    (
        "疫苗第二针约在二月二十号上午",
        "二月二十号上午",
        "2026-02-20T06:00",
        "2026-02-20T12:00",
        "part",
    ),
    (
        "儿子今天早上七点四十就出门了",
        "今天早上七点四十",
        "2026-02-04T07:40",
        "2026-02-04T07:41",
        "minute",
    ),
    ("我们是2016年5月20号领的证", "2016年5月20号", "2016-05-20", "2016-05-21", "day"),
    ("上个星期六晚上看了场话剧", "上个星期六晚上", "2026-01-31T18:00", "2026-02-01", "part"),
    ("大概五年前开始用这个牌子", "五年前", "2021-01-01", "2022-01-01", "year"),
    ("刚刚电话说快递后天下午到", "后天下午", "2026-02-06T12:00", "2026-02-06T18:00", "part"),
    ("十分钟前才吃完饭", "十分钟前", "2026-02-04T10:20", "2026-02-04T10:21", "minute"),
    ("这礼拜天我要去机场接人", "这礼拜天", "2026-02-08", "2026-02-09", "day"),
    ("今年上半年只涨了三个点", "今年上半年", "2026-01-01", "2026-07-01", "span"),
    ("体检报告说要在两周内复查", "两周内", "2026-02-04", "2026-02-19", "span"),
    ("我明年春天想去日本看樱花", "明年春天", "2027-03-01", "2027-06-01", "season"),
    ("直播从晚上八点到十点", "从晚上八点到十点", "2026-02-04T20:00", "2026-02-04T22:00", "span"),
    ("2026年2月10日至2月16日放假", "2026年2月10日至2月16日", "2026-02-10", "2026-02-17", "span"),
    ("昨儿夜里下了一场大雪", "昨儿夜里", "2026-02-03T18:00", "2026-02-04", "part"),
    ("三十号之前把材料交齐", "三十号", "2026-03-30", "2026-03-31", "day"),
    (
        "老板让我后天中午十二点前给答复",
        "后天中午十二点",
        "2026-02-06T12:00",
        "2026-02-06T13:00",
        "hour",
    ),
    ("半个月前我把咖啡戒了", "半个月前", "2026-01-19", "2026-01-26", "week"),
    ("去年十一月底换的工作", "去年十一月底", "2025-11-21", "2025-12-01", "span"),
    ("項目預計今年第二季度上線", "今年第二季度", "2026-04-01", "2026-07-01", "quarter"),
    ("我妈周日做了红烧肉", "周日", "2026-02-01", "2026-02-02", "day"),
    ("签证最近一个月都没有消息", "最近一个月", "2026-01-04", "2026-02-05", "span"),
    ("08年奥运会我在现场", "08年", "2008-01-01", "2009-01-01", "year"),
    ("10月1号到7号全家去了云南", "10月1号到7号", "2025-10-01", "2025-10-08", "span"),
    ("再过三个月合同就到期了", "再过三个月", "2026-05-01", "2026-06-01", "month"),
    ("本周四14点评审会", "本周四14点", "2026-02-05T14:00", "2026-02-05T15:00", "hour"),
    ("他凌晨一点多才睡", "凌晨一点", "2026-02-04T01:00", "2026-02-04T02:00", "hour"),
]
ENGLISH: list[Case] = [
    ("What's on my calendar today?", "today", "2026-02-04", "2026-02-05", "day"),
    ("I have a dentist appointment tomorrow", "tomorrow", "2026-02-05", "2026-02-06", "day"),
    ("Yesterday I finally finished the thesis", "Yesterday", "2026-02-03", "2026-02-04", "day"),
    (
        "We fly out the day after tomorrow.",
        "the day after tomorrow",
        "2026-02-06",
        "2026-02-07",
        "day",
    ),
    (
        "She called me the day before yesterday",
        "the day before yesterday",
        "2026-02-02",
        "2026-02-03",
        "day",
    ),
    ("I moved last Tuesday", "last Tuesday", "2026-02-03", "2026-02-04", "day"),
    ("last Wednesday we had a power cut", "last Wednesday", "2026-01-28", "2026-01-29", "day"),
    ("my test is a week on Thursday", "a week on Thursday", "2026-02-12", "2026-02-13", "day"),
    ("Let's meet next Friday for lunch", "next Friday", "2026-02-13", "2026-02-14", "day"),
    ("Are you free this Sunday?", "this Sunday", "2026-02-08", "2026-02-09", "day"),
    ("I'll send it on Monday", "Monday", "2026-02-09", "2026-02-10", "day"),
    ("On Monday I went to the clinic", "Monday", "2026-02-02", "2026-02-03", "day"),
    ("We went skiing last weekend", "last weekend", "2026-01-31", "2026-02-02", "span"),
    ("My parents are visiting this weekend", "this weekend", "2026-02-07", "2026-02-09", "span"),
    ("Next weekend is the marathon", "Next weekend", "2026-02-14", "2026-02-16", "span"),
    ("can you drop it off on thurs", "thurs", "2026-02-05", "2026-02-06", "day"),
    ("I left my job three days ago", "three days ago", "2026-02-01", "2026-02-02", "day"),
    ("The lease ends in two weeks", "in two weeks", "2026-02-16", "2026-02-23", "week"),
    ("The baby is due a month from now", "a month from now", "2026-03-01", "2026-04-01", "month"),
    ("I saw him a couple of days ago", "a couple of days ago", "2026-02-02", "2026-02-03", "day"),
    (
        "It crashed half an hour ago",
        "half an hour ago",
        "2026-02-04T10:00",
        "2026-02-04T10:01",
        "minute",
    ),
    (
        "The package arrived an hour ago",
        "an hour ago",
        "2026-02-04T09:30",
        "2026-02-04T09:31",
        "minute",
    ),
    ("about 5 years ago we lived in Oslo", "5 years ago", "2021-01-01", "2022-01-01", "year"),
    (
        "Remind me in 20 minutes to check the oven",
        "in 20 minutes",
        "2026-02-04T10:50",
        "2026-02-04T10:51",
        "minute",
    ),
    ("She quit a few weeks ago", "a few weeks ago", "2025-12-22", "2026-01-26", "span"),
    (
        "six months ago I could not run a mile",
        "six months ago",
        "2025-08-01",
        "2025-09-01",
        "month",
    ),
    (
        "I bought it a year and a half ago",
        "a year and a half ago",
        "2024-08-01",
        "2024-09-01",
        "month",
    ),
    ("a week ago my phone died", "a week ago", "2026-01-26", "2026-02-02", "week"),
    ("My rent went up last month", "last month", "2026-01-01", "2026-02-01", "month"),
    (
        "We ship at the end of next month",
        "the end of next month",
        "2026-03-21",
        "2026-04-01",
        "span",
    ),
    ("I was in Kyoto last year", "last year", "2025-01-01", "2026-01-01", "year"),
    ("We want to get married next spring", "next spring", "2027-03-01", "2027-06-01", "season"),
    ("This summer I'm learning to sail", "This summer", "2026-06-01", "2026-09-01", "season"),
    ("Last summer was unbearably hot", "Last summer", "2025-06-01", "2025-09-01", "season"),
    ("How did we do in Q3?", "Q3", "2025-07-01", "2025-10-01", "quarter"),
    ("Q1 2026 planning is done", "Q1 2026", "2026-01-01", "2026-04-01", "quarter"),
    ("Revenue fell last quarter", "last quarter", "2025-10-01", "2026-01-01", "quarter"),
    ("What did we decide last week?", "last week", "2026-01-26", "2026-02-02", "week"),
    ("I'm on leave next week", "next week", "2026-02-09", "2026-02-16", "week"),
    (
        "She started the week before last",
        "the week before last",
        "2026-01-19",
        "2026-01-26",
        "week",
    ),
    (
        "by the end of the year I want to be debt free",
        "the end of the year",
        "2026-11-01",
        "2027-01-01",
        "span",
    ),
    ("He was born in early 1987", "early 1987", "1987-01-01", "1987-03-01", "span"),
    ("The trip is in late March 2026", "late March 2026", "2026-03-21", "2026-04-01", "span"),
    ("Invoice dated 2026-02-04 is unpaid", "2026-02-04", "2026-02-04", "2026-02-05", "day"),
    ("The audit is on Feb 4", "Feb 4", "2026-02-04", "2026-02-05", "day"),
    (
        "I met Ida, a friend from my first job in the north, at the yearly seed fair on May 10",
        "May 10",
        "2025-05-10",
        "2025-05-11",
        "day",
    ),
    ("We closed on February 4th 2026", "February 4th 2026", "2026-02-04", "2026-02-05", "day"),
    ("My flight is 14 Feb", "14 Feb", "2026-02-14", "2026-02-15", "day"),
    ("The rent is due on the 4th.", "the 4th", "2026-02-04", "2026-02-05", "day"),
    ("I joined the company in March 2024", "March 2024", "2024-03-01", "2024-04-01", "month"),
    ("I ran my first marathon in March", "March", "2025-03-01", "2025-04-01", "month"),
    ("We will renovate in May", "May", "2026-05-01", "2026-06-01", "month"),
    ("I graduated in 2024 and moved abroad", "2024", "2024-01-01", "2025-01-01", "year"),
    ("We got our dog on December 3, 2021.", "December 3, 2021", "2021-12-03", "2021-12-04", "day"),
    (
        "Our anniversary party is on the 21st of June",
        "the 21st of June",
        "2026-06-21",
        "2026-06-22",
        "day",
    ),
    (
        "The log says 2026-02-03T14:05:00+08:00 timeout",
        "2026-02-03T14:05:00+08:00",
        "2026-02-03T14:05",
        "2026-02-03T14:06",
        "minute",
    ),
    (
        "Deployed at 2026-02-03 23:15Z by CI",
        "2026-02-03 23:15Z",
        "2026-02-04T07:15",
        "2026-02-04T07:16",
        "minute",
    ),
    ("January was brutal at work", "January", "2026-01-01", "2026-02-01", "month"),
    ("I've had this cough since November", "November", "2025-11-01", "2025-12-01", "month"),
    ("Call me at 3pm", "3pm", "2026-02-04T15:00", "2026-02-04T16:00", "hour"),
    (
        "The demo starts at 3:30 p.m. sharp",
        "3:30 p.m.",
        "2026-02-04T15:30",
        "2026-02-04T15:31",
        "minute",
    ),
    ("Lunch at noon?", "noon", "2026-02-04T12:00", "2026-02-04T13:00", "hour"),
    ("The sale ends at midnight", "midnight", "2026-02-05T00:00", "2026-02-05T01:00", "hour"),
    ("Let's cook tonight", "tonight", "2026-02-04T18:00", "2026-02-05", "part"),
    ("I threw up this morning", "this morning", "2026-02-04T06:00", "2026-02-04T12:00", "part"),
    (
        "Pick me up tomorrow at 5pm",
        "tomorrow at 5pm",
        "2026-02-05T17:00",
        "2026-02-05T18:00",
        "hour",
    ),
    (
        "Standup moved to 9:15 am on Friday",
        "9:15 am on Friday",
        "2026-02-06T09:15",
        "2026-02-06T09:16",
        "minute",
    ),
    ("I couldn't sleep last night", "last night", "2026-02-03T18:00", "2026-02-04", "part"),
    ("Dinner with Ana Friday night", "Friday night", "2026-02-06T18:00", "2026-02-07", "part"),
    (
        "my appointment is March 3 at 10:45",
        "March 3 at 10:45",
        "2026-03-03T10:45",
        "2026-03-03T10:46",
        "minute",
    ),
    ("See you tomorrow at 5", "tomorrow at 5", "2026-02-05T17:00", "2026-02-05T18:00", "hour"),
    ("wake me up at 7 o'clock", "7 o'clock", "2026-02-04T07:00", "2026-02-04T08:00", "hour"),
    (
        "We talked yesterday afternoon",
        "yesterday afternoon",
        "2026-02-03T12:00",
        "2026-02-03T18:00",
        "part",
    ),
    ("I haven't eaten in the last 3 days", "the last 3 days", "2026-02-01", "2026-02-05", "span"),
    (
        "Show my notes from the past two weeks",
        "the past two weeks",
        "2026-01-21",
        "2026-02-05",
        "span",
    ),
    (
        "over the past month I've lost four kilos",
        "the past month",
        "2026-01-04",
        "2026-02-05",
        "span",
    ),
    ("I'm away from Monday to Friday", "from Monday to Friday", "2026-02-09", "2026-02-14", "span"),
    (
        "The festival runs between March 3 and March 10",
        "between March 3 and March 10",
        "2026-03-03",
        "2026-03-11",
        "span",
    ),
    ("It'll rain for the next five days", "the next five days", "2026-02-04", "2026-02-10", "span"),
    (
        "She lived in Berlin from 2015 to 2019",
        "from 2015 to 2019",
        "2015-01-01",
        "2020-01-01",
        "span",
    ),
    ("I love music from the 1990s", "the 1990s", "1990-01-01", "2000-01-01", "span"),
    ("My dad had a Saab in the 80s", "the 80s", "1980-01-01", "1990-01-01", "span"),
    (
        "The office is open 9am to 5pm today",
        "9am to 5pm today",
        "2026-02-04T09:00",
        "2026-02-04T17:00",
        "span",
    ),
    ("conference: June 8-12 in Lisbon", "June 8-12", "2026-06-08", "2026-06-13", "span"),
    (
        "in the first half of 2025 we doubled the team",
        "the first half of 2025",
        "2025-01-01",
        "2025-07-01",
        "span",
    ),
    (
        "the summer of 2019 changed everything",
        "the summer of 2019",
        "2019-06-01",
        "2019-09-01",
        "season",
    ),
    ("We broke up last October", "last October", "2025-10-01", "2025-11-01", "month"),
    ("I'll be forty this November", "this November", "2026-11-01", "2026-12-01", "month"),
    ("Tuesday last week was chaos", "Tuesday last week", "2026-01-27", "2026-01-28", "day"),
    ("I had surgery on Sept. 9, 2025", "Sept. 9, 2025", "2025-09-09", "2025-09-10", "day"),
    ("let's sync 2 weeks from today", "2 weeks from today", "2026-02-18", "2026-02-19", "day"),
    ("My visa expires next January", "next January", "2027-01-01", "2027-02-01", "month"),
    ("please 明天 remind me to buy milk", "明天", "2026-02-05", "2026-02-06", "day"),
    (
        "The kickoff is Thursday, February 12 at 2pm",
        "Thursday, February 12 at 2pm",
        "2026-02-12T14:00",
        "2026-02-12T15:00",
        "hour",
    ),
    (
        "I will be in Rome from the 10th to the 14th",
        "from the 10th to the 14th",
        "2026-02-10",
        "2026-02-15",
        "span",
    ),
    ("Early next week works for me", "Early next week", "2026-02-09", "2026-02-11", "span"),
    ("He died in the late 1970s", "the late 1970s", "1977-01-01", "1980-01-01", "span"),
    (
        "The report was due at the beginning of January",
        "the beginning of January",
        "2026-01-01",
        "2026-01-11",
        "span",
    ),
    ("We met at half past six", "half past six", "2026-02-03T18:30", "2026-02-03T18:31", "minute"),
    (
        "I get my results this Friday morning",
        "this Friday morning",
        "2026-02-06T06:00",
        "2026-02-06T12:00",
        "part",
    ),
    (
        "meeting moved to 2026/03/02 14:00",
        "2026/03/02 14:00",
        "2026-03-02T14:00",
        "2026-03-02T14:01",
        "minute",
    ),
    (
        "yesterday at 10 in the evening the alarm went off",
        "yesterday at 10 in the evening",
        "2026-02-03T22:00",
        "2026-02-03T23:00",
        "hour",
    ),
    ("My passport expires in August 2027", "August 2027", "2027-08-01", "2027-09-01", "month"),
    ("We adopted Biscuit back in 2018.", "2018", "2018-01-01", "2019-01-01", "year"),
    (
        "The plumber is coming Thursday between 9 and noon",
        "Thursday",
        "2026-02-05",
        "2026-02-06",
        "day",
    ),
    (
        "I haven't smoked since last New Year's, i.e. since January 1st",
        "January 1st",
        "2026-01-01",
        "2026-01-02",
        "day",
    ),
    (
        "Our daughter was born on the 3rd of May 2020 at 4:12 am",
        "the 3rd of May 2020 at 4:12 am",
        "2020-05-03T04:12",
        "2020-05-03T04:13",
        "minute",
    ),
    (
        "Can we push it to next Monday afternoon?",
        "next Monday afternoon",
        "2026-02-09T12:00",
        "2026-02-09T18:00",
        "part",
    ),
    (
        "Two nights ago I dreamt of whales; two days ago I drew one",
        "two days ago",
        "2026-02-02",
        "2026-02-03",
        "day",
    ),
    ("The warranty runs out in 18 months", "in 18 months", "2027-08-01", "2027-09-01", "month"),
    ("Payroll closes on the 25th, not later", "the 25th", "2026-02-25", "2026-02-26", "day"),
    (
        "I'm seeing the cardiologist on 12 March at 09:20",
        "12 March at 09:20",
        "2026-03-12T09:20",
        "2026-03-12T09:21",
        "minute",
    ),
    (
        "They shut the plant down in the late 1980s",
        "the late 1980s",
        "1987-01-01",
        "1990-01-01",
        "span",
    ),
    ("She texted me at 11:47pm", "11:47pm", "2026-02-03T23:47", "2026-02-03T23:48", "minute"),
    (
        "This past weekend we painted the nursery",
        "This past weekend",
        "2026-01-31",
        "2026-02-02",
        "span",
    ),
    ("Registration opens Feb. 16 and closes Mar. 2", "Feb. 16", "2026-02-16", "2026-02-17", "day"),
    (
        "I've been vegan for the past 4 years",
        "the past 4 years",
        "2022-02-04",
        "2026-02-05",
        "span",
    ),
    (
        "We refinanced in the second quarter of last year",
        "the second quarter of last year",
        "2025-04-01",
        "2025-07-01",
        "quarter",
    ),
    (
        "the outage lasted from 2:15pm to 3:40pm yesterday",
        "from 2:15pm to 3:40pm yesterday",
        "2026-02-03T14:15",
        "2026-02-03T15:40",
        "span",
    ),
    ("I finished chemo a year ago", "a year ago", "2025-01-01", "2026-01-01", "year"),
    ("By early June the house should be ready", "early June", "2026-06-01", "2026-06-11", "span"),
    (
        "Let's talk tomorrow morning, say 8:30",
        "tomorrow morning",
        "2026-02-05T06:00",
        "2026-02-05T12:00",
        "part",
    ),
    ("I sold the car in mid-December", "mid-December", "2025-12-11", "2025-12-21", "span"),
    (
        "the exam was on Tuesday, January 20",
        "Tuesday, January 20",
        "2026-01-20",
        "2026-01-21",
        "day",
    ),
    (
        "He'll be released in a couple of weeks",
        "in a couple of weeks",
        "2026-02-16",
        "2026-02-23",
        "week",
    ),
    ("My lease ended on 31/12, I mean Dec 31st", "Dec 31st", "2025-12-31", "2026-01-01", "day"),
    (
        "I've an MRI this afternoon at 4",
        "this afternoon at 4",
        "2026-02-04T16:00",
        "2026-02-04T17:00",
        "hour",
    ),
    (
        "the cruise leaves on July 4th and returns July 11th",
        "July 4th",
        "2026-07-04",
        "2026-07-05",
        "day",
    ),
    (
        "Remind me next Wednesday to water the plants",
        "next Wednesday",
        "2026-02-11",
        "2026-02-12",
        "day",
    ),
    ("Grandpa emigrated in 1956 with nothing", "1956", "1956-01-01", "1957-01-01", "year"),
    (
        "we met the weekend before last",
        "the weekend before last",
        "2026-01-24",
        "2026-01-26",
        "span",
    ),
    ("he rang the Friday before last", "the Friday before last", "2026-01-23", "2026-01-24", "day"),
    ("I saw her earlier this month", "earlier this month", "2026-02-01", "2026-02-05", "span"),
    ("we want to move later this year", "later this year", "2026-02-04", "2027-01-01", "span"),
    ("two summers ago we sailed", "two summers ago", "2024-06-01", "2024-09-01", "season"),
    (
        "I will be away the week of March 9",
        "the week of March 9",
        "2026-03-09",
        "2026-03-16",
        "week",
    ),
    (
        "the fair was on the last Friday in May",
        "the last Friday in May",
        "2025-05-30",
        "2025-05-31",
        "day",
    ),
    (
        "the second Tuesday of last month was hectic",
        "the second Tuesday of last month",
        "2026-01-13",
        "2026-01-14",
        "day",
    ),
    ("the party on December 1,2025 was fun", "December 1,2025", "2025-12-01", "2025-12-02", "day"),
    ("we travelled over the summer", "the summer", "2025-06-01", "2025-09-01", "season"),
]
RECURRING: list[Case] = [
    ("每个月的第二个星期三开家长会", "每个月的第二个星期三", "2026-02-11", "2026-02-12", "day"),
    (
        "we meet on the first Monday of the month",
        "the first Monday of the month",
        "2026-03-02",
        "2026-03-03",
        "day",
    ),
    ("我每天早上八点跑步", "每天早上八点", "2026-02-05T08:00", "2026-02-05T09:00", "hour"),
    ("每天都要吃降压药", "每天", "2026-02-04", "2026-02-05", "day"),
    ("每周三晚上有钢琴课", "每周三晚上", "2026-02-04T18:00", "2026-02-05", "part"),
    ("每个月1号交房租", "每个月1号", "2026-03-01", "2026-03-02", "day"),
    ("每週一開週會", "每週一", "2026-02-09", "2026-02-10", "day"),
    ("每年3月5日是学雷锋日", "每年3月5日", "2026-03-05", "2026-03-06", "day"),
    ("每周一、三、五去健身房", "每周一、三、五", "2026-02-04", "2026-02-05", "day"),
    ("每个周末回父母家", "每个周末", "2026-02-07", "2026-02-09", "span"),
    ("每月底盘点库存", "每月底", "2026-02-21", "2026-03-01", "span"),
    ("每天晚上十点半睡觉", "每天晚上十点半", "2026-02-04T22:30", "2026-02-04T22:31", "minute"),
    ("I go to therapy every Monday", "every Monday", "2026-02-09", "2026-02-10", "day"),
    ("I take vitamins every day", "every day", "2026-02-04", "2026-02-05", "day"),
    ("We publish weekly on Fridays", "weekly on Fridays", "2026-02-06", "2026-02-07", "day"),
    (
        "standup is every weekday at 9:30am",
        "every weekday at 9:30am",
        "2026-02-05T09:30",
        "2026-02-05T09:31",
        "minute",
    ),
    ("I volunteer on Saturdays", "Saturdays", "2026-02-07", "2026-02-08", "day"),
    (
        "The rent leaves my account on the 1st of every month",
        "the 1st of every month",
        "2026-03-01",
        "2026-03-02",
        "day",
    ),
    (
        "every Tuesday and Thursday I swim",
        "every Tuesday and Thursday",
        "2026-02-05",
        "2026-02-06",
        "day",
    ),
    ("She visits every other week", "every other week", "2026-02-02", "2026-02-09", "week"),
    ("I meditate every morning", "every morning", "2026-02-04T06:00", "2026-02-04T12:00", "part"),
    ("we go there every summer", "every summer", "2026-06-01", "2026-09-01", "season"),
    ("她每个星期四下午练琴", "每个星期四下午", "2026-02-05T12:00", "2026-02-05T18:00", "part"),
    (
        "book club is every first... no, every Wednesday at 7pm",
        "every Wednesday at 7pm",
        "2026-02-04T19:00",
        "2026-02-04T20:00",
        "hour",
    ),
    (
        "we always close at 6pm on Sundays",
        "6pm on Sundays",
        "2026-02-08T18:00",
        "2026-02-08T19:00",
        "hour",
    ),
]
FALSE_FRIENDS = [
    "我只要一点点糖",
    "这道菜有点咸",
    "差一点就赶上了",
    "快一点儿",
    "我有3点建议",
    "他提了三点意见",
    "第二点我不同意",
    "我住在5号楼",
    "坐2号线到人民广场",
    "三号选手表现最好",
    "晚上好",
    "早上好啊",
    "下午茶很好吃",
    "一点都不想去",
    "一点也不难",
    "今后多联系",
    "一周跑三次步",
    "后来就没联系了",
    "版本号是2026.2",
    "我家有两个月亮灯",
    "电话13812345678",
    "电话010-82345678",
    "上面写着密码",
    "下面的内容",
    "这个方案大概率不行",
    "他跑了前三名",
    "中间那一段",
    "三周目通关",
    "我家四周都是山",
    "早点休息",
    "重点是什么",
    "优点和缺点",
    "地点在哪",
    "7号电池没电了",
    "春天百货",
    "2026.2.4.1版本",
    "日子过得真快",
    "有两点原因",
    "农历三月初三",
    "小明天生聪明",
    "工作三年了",
    "每次都这样",
    "他的生日礼物",
    "一号店买的",
    "这几点很重要",
    "零点五公斤",
    "2点5公斤",
    "走了三天三夜",
    "May I come in?",
    "We march on Washington",
    "give me a second",
    "version 2026.2",
    "upgrade to v1.2.3",
    "ping 192.168.1.1",
    "1/2 cup of sugar",
    "the sun is bright",
    "mon ami",
    "Will can do it",
    "he sat on the chair",
    "call +1 555-2026-0204",
    "this may be wrong",
    "the second option",
    "he is in his 80s",
    "the 4th floor",
    "on the 2nd floor",
    "model 2024",
    "add 2024 items",
    "It may 3 times fail",
    "python 3.11.7",
    "ratio 3:2",
    "page 12",
    "the march of time",
    "we wed in secret",
    "fall down the stairs",
    "spring boot is a framework",
    "I like summer",
    "an august body",
    "at 5 Main Street",
    "5 days of work",
    "it took three weeks",
    "10.0.0.1:8080",
    "order 2026-0204-1234",
    "the first quarter of the pie",
    "in 3 steps",
    "April is my sister",
    "June called",
    "in 2000 meters",
    "a week of work",
    "last but not least",
    "next to the door",
    "this is it",
    "every time",
    "the end of the story",
]


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE)


def named(sentence: str, words: str) -> Moment:
    """The moment that those words of the sentence name."""
    moments = [m for m in find_moments(sentence, AT) if m.text == words]
    assert len(moments) == 1, find_moments(sentence, AT)
    return moments[0]


def day(text: str, at: datetime = AT) -> str:
    """The first day of the one moment in `text`."""
    (moment,) = find_moments(text, at)
    return moment.since.date().isoformat()


@each(("sentence", "words", "since", "until", "grain"), CHINESE + ENGLISH)
def test_finds(sentence: str, words: str, since: str, until: str, grain: str) -> None:
    moment = named(sentence, words)
    assert (moment.since, moment.until) == (instant(since), instant(until))
    assert (moment.grain, moment.recurring) == (grain, False)
    assert sentence[moment.start : moment.end] == words


@each(("sentence", "words", "since", "until", "grain"), RECURRING)
def test_finds_what_recurs(sentence: str, words: str, since: str, until: str, grain: str) -> None:
    moment = named(sentence, words)
    assert (moment.since, moment.until) == (instant(since), instant(until))
    assert (moment.grain, moment.recurring) == (grain, True)


@each("sentence", FALSE_FRIENDS)
def test_false_friends(sentence: str) -> None:
    assert find_moments(sentence, AT) == []


@each(
    ("sentence", "words"),
    [
        ("月初发工资，月底就没了", ["月初", "月底"]),
        ("明天meeting改到3pm, 不是Friday", ["明天", "3pm", "Friday"]),
        ("Registration opens Feb. 16 and closes Mar. 2", ["Feb. 16", "Mar. 2"]),
        ("昨天、今天和明天都有课", ["昨天", "今天", "明天"]),
        ("I wrote on Monday and last Friday", ["Monday", "last Friday"]),
        ("2026-02-30 不存在，2026-02-28 存在", ["2026-02-28"]),
        ("13月5日不对，12月5日对", ["12月5日"]),
        ("Feb 30, then tomorrow", ["tomorrow"]),
        ("今天到5号楼开会", ["今天"]),
        ("今天到15号都有空", ["今天到15号"]),
        ("She is coming Thursday", ["Thursday"]),
        ("I finished reading on 2026-02-01 - 3 items left", ["2026-02-01"]),
        ("1.5.3 - 2015-09-24", ["2015-09-24"]),
    ],
)
def test_finds_each(sentence: str, words: list[str]) -> None:
    assert [m.text for m in find_moments(sentence, AT)] == words


@each(
    ("sentence", "since"),
    [
        # The verb says which Monday, March or fourth is meant.
        ("周一我去看了牙医", "2026-02-02"),
        ("周一我要去看牙医", "2026-02-09"),
        ("On Friday I went home", "2026-01-30"),
        ("On Friday I will go home", "2026-02-06"),
        ("I visited her in June", "2025-06-01"),
        ("I will visit her in June", "2026-06-01"),
        ("六月去了大连", "2025-06-01"),
        ("六月要去大连", "2026-06-01"),
        ("25号交了房租", "2026-01-25"),
        ("25号要交房租", "2026-02-25"),
        ("I just turned 32 on February 12th, so I'm feeling old", "2025-02-12"),
        ("I called you at 11pm", "2026-02-03"),
        ("I'll call you at 9am", "2026-02-05"),
        # Nothing says it.
        ("Wednesday", "2026-02-11"),
        ("Monday", "2026-02-09"),
        ("周三", "2026-02-11"),
        ("1月20日", "2026-01-20"),
        ("12月20日", "2025-12-20"),
        ("in March", "2025-03-01"),
        ("in February", "2026-02-01"),
        ("31号", "2026-03-31"),
        ("2月29日", "2024-02-29"),
    ],
)
def test_which_one_is_meant(sentence: str, since: str) -> None:
    assert day(sentence) == since


@each(
    ("question", "words", "since", "recurring"),
    [
        # Who asks, asks for what was.
        ("What did I do on Friday?", "Friday", "2026-01-30", False),
        ("What do I say on Friday?", "Friday", "2026-01-30", False),
        ("你记得我周五说了什么吗", "周五", "2026-01-30", False),
        ("周末我们去哪了", "周末", "2026-01-31", False),
        ("What was it on 5 May?", "5 May", "2025-05-05", False),
        ("5月5号那周我在哪", "5月5号那周", "2025-05-05", False),
        ("Who should I remember from March?", "March", "2025-03-01", False),
        # …unless the question looks ahead, or names a habit.
        ("What will we do on Friday?", "Friday", "2026-02-06", False),
        ("我们周五要去哪", "周五", "2026-02-06", False),
        ("What am I going to do in March?", "March", "2026-03-01", False),
        ("周末我一般做什么", "周末", "2026-02-07", True),
        ("What do I usually cook on Friday?", "Friday", "2026-02-06", True),
    ],
)
def test_finds_what_a_question_asks_for(
    question: str, words: str, since: str, recurring: bool
) -> None:
    (moment,) = find_asked(question, AT)
    assert (moment.text, moment.since, moment.recurring) == (words, instant(since), recurring)


def test_weeks_turn_on_monday() -> None:
    sunday = datetime(2026, 2, 8, 23, 59, tzinfo=ZONE)
    monday = datetime(2026, 2, 9, 0, 0, tzinfo=ZONE)
    assert (day("上周三", sunday), day("上周三", monday)) == ("2026-01-28", "2026-02-04")
    assert (day("next Friday", sunday), day("next Friday", monday)) == ("2026-02-13", "2026-02-20")
    assert (day("last weekend", sunday), day("last weekend", monday)) == (
        "2026-01-31",
        "2026-02-07",
    )


def test_months_end_where_they_end() -> None:
    last = datetime(2024, 3, 31, 12, 0, tzinfo=ZONE)
    assert day("上个月", last) == "2024-02-01"
    assert day("一个月前", last) == "2024-02-01"
    assert find_moments("上个月底", last)[0].until == datetime(2024, 3, 1, tzinfo=ZONE)
    assert day("this winter", datetime(2026, 1, 10, tzinfo=ZONE)) == "2025-12-01"
    assert day("last winter", datetime(2026, 1, 10, tzinfo=ZONE)) == "2024-12-01"


def test_hours_ago_are_real_hours() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    (moment,) = find_moments("3 hours ago", datetime(2026, 3, 29, 5, 0, tzinfo=berlin))
    assert moment.since == datetime(2026, 3, 29, 1, 0, tzinfo=berlin)
    assert moment.since.tzinfo is berlin


def test_offsets_are_turned_into_the_zone_of_the_reference() -> None:
    moment = parse_moment("2026-02-03T23:15:30Z", AT)
    assert moment is not None
    assert moment.since.isoformat() == "2026-02-04T07:15:30+08:00"


@each(
    ("text", "since", "until"),
    [
        ("昨天", "2026-02-03", "2026-02-04"),
        ("  last week ", "2026-01-26", "2026-02-02"),
        ("on Monday", "2026-02-09", "2026-02-10"),
        ("2026-02", "2026-02-01", "2026-03-01"),
        ("2026年2月", "2026-02-01", "2026-03-01"),
        ("2024", "2024-01-01", "2025-01-01"),
        ("20260204", "2026-02-04", "2026-02-05"),
        ("２０２６／２／４", "2026-02-04", "2026-02-05"),
        ("3 days ago", "2026-02-01", "2026-02-02"),
        ("一百天前", "2025-10-27", "2025-10-28"),
        ("the 4th", "2026-02-04", "2026-02-05"),
        ("May", "2025-05-01", "2025-06-01"),
        ("summer", "2025-06-01", "2025-09-01"),
        ("now", "2026-02-04T10:30", "2026-02-04T10:31"),
        ("Feb 4, 2026 3:30 PM", "2026-02-04T15:30", "2026-02-04T15:31"),
        ("2026-02-04T15:30", "2026-02-04T15:30", "2026-02-04T15:31"),
    ],
)
def test_parses(text: str, since: str, until: str) -> None:
    moment = parse_moment(text, AT)
    assert moment is not None
    assert (moment.since, moment.until) == (instant(since), instant(until))


@each(
    "text",
    [
        "",
        " ",
        "nonsense",
        "胡说",
        "5",
        "at 5",
        "tomorrow and more",
        "昨天我去了",
        "今天明天",
        "2026-02-30",
        "2023-02-29",
        "13月5日",
        "2月30日",
        "Feb 30",
        "2026-02-04T25:00",
        "25:00",
        "0000-01-01",
        "99999年",
        "9999 years ago",
        "in 9999 years",
        "99999999999 days ago",
    ],
)
def test_does_not_parse(text: str) -> None:
    assert parse_moment(text, AT) is None


@each(
    ("text", "english", "chinese"),
    [
        ("2026-02-04", "2026-02-04", "2026年2月4日"),
        ("明天下午三点", "2026-02-05 15:00", "2026年2月5日15:00"),
        ("今晚8点半", "2026-02-04 20:30", "2026年2月4日20:30"),
        ("last night", "the evening of 2026-02-03", "2026年2月3日晚上"),
        ("本周", "the week of 2026-02-02", "2026年2月2日那一周"),
        ("last weekend", "the weekend of 2026-01-31", "2026年1月31日那个周末"),
        ("2026-02", "February 2026", "2026年2月"),
        ("下个月底", "late March 2026", "2026年3月下旬"),
        ("last quarter", "Q4 2025", "2025年第四季度"),
        ("去年夏天", "summer 2025", "2025年夏天"),
        ("去年冬天", "winter 2025", "2025年冬天"),
        ("去年下半年", "the second half of 2025", "2025年下半年"),
        ("去年", "2025", "2025年"),
        ("今年年底", "late 2026", "2026年年底"),
        ("90年代", "the 1990s", "1990年代"),
        ("最近三天", "2026-02-01 to 2026-02-04", "2026年2月1日到2026年2月4日"),
        ("下午两点到四点", "2026-02-04 14:00 to 16:00", "2026年2月4日14:00到16:00"),
    ],
)
def test_formats(text: str, english: str, chinese: str) -> None:
    moment = parse_moment(text, AT)
    assert moment is not None
    assert (format_date(moment, "en"), format_date(moment, "zh")) == (english, chinese)


@each(
    ("text", "language", "expected"),
    [
        ("明天要开会", "zh", "2026年2月5日要开会"),
        ("两周后交报告，半年前开始的", "zh", "2026年2月16日那一周交报告，2025年8月开始的"),
        ("去年夏天去了冰岛", "zh", "2025年夏天去了冰岛"),
        ("今晚8点到10点打球", "zh", "2026年2月4日20:00到22:00打球"),
        ("I moved last Tuesday", "en", "I moved on 2026-02-03"),
        ("I moved the day before yesterday.", "en", "I moved on 2026-02-02."),
        ("I'll send it on Monday", "en", "I'll send it on 2026-02-09"),
        ("Last week I met Bob", "en", "In the week of 2026-01-26 I met Bob"),
        ("tomorrow is my birthday", "en", "2026-02-05 is my birthday"),
        ("yesterday's talk", "en", "2026-02-03's talk"),
        ("by tomorrow", "en", "by 2026-02-05"),
        ("We ship at the end of next month", "en", "We ship in late March 2026"),
        ("It crashed an hour ago", "en", "It crashed at 2026-02-04 09:30"),
        ("I ran a marathon in March", "en", "I ran a marathon in March 2025"),
        ("In the last 3 days I slept", "en", "Since 2026-02-01 I slept"),
        # Already absolute, recurring, or said of any year and any day.
        ("会议改到2026年2月4日了", "zh", "会议改到2026年2月4日了"),
        ("90年代的老歌", "zh", "90年代的老歌"),
        ("每周三开会", "zh", "每周三开会"),
        ("我周五一般打球", "zh", "我周五一般打球"),
        ("生日是3月5日", "zh", "生日是3月5日"),
        ("My birthday is March 5", "en", "My birthday is March 5"),
        ("The office opens at 9am", "en", "The office opens at 9am"),
        ("I graduated in 2024", "en", "I graduated in 2024"),
        ("nothing here", "en", "nothing here"),
    ],
)
def test_absolute(text: str, language: str, expected: str) -> None:
    assert absolute(text, AT, language) == expected


# --- Any text -------------------------------------------------------------------------------------

PIECES = [
    "今天",
    "明天",
    "大后天",
    "上周三",
    "下个月底",
    "周末",
    "三天前",
    "两周后",
    "半年",
    "去年",
    "夏天",
    "第三季度",
    "上半年",
    "2月30日",
    "二月",
    "4号",
    "下午",
    "三点",
    "半",
    "到",
    "至",
    "从",
    "每",
    "每周一",
    "90年代",
    "最近",
    "几天",
    "的",
    "了",
    "要",
    "年",
    "月",
    "日",
    "点",
    "一",
    "十",
    "百",
    "廿",
    "today",
    "last",
    "next",
    "this",
    "every",
    "Monday",
    "weekend",
    "week",
    "in",
    "ago",
    "from",
    "to",
    "between",
    "and",
    "the",
    "4th",
    "end of",
    "early",
    "March",
    "May",
    "2026",
    "13",
    "99",
    "9999",
    "0",
    "3pm",
    "15:30",
    "noon",
    "half past",
    "a few",
    "days",
    "-",
    "/",
    ".",
    ":",
    ",",
    "(",
    ")",
]
texts = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).flatmap(
    lambda words: st.sampled_from(["", " "]).map(lambda glue: glue.join(words))
)
moments_in_time = st.datetimes(timezones=st.sampled_from([ZONE, ZoneInfo("Europe/Berlin")]))


@given(text=texts, at=moments_in_time)
def test_any_text(text: str, at: datetime) -> None:
    end = 0
    for moment in find_moments(text, at):
        assert end <= moment.start < moment.end <= len(text)
        assert moment.text == text[moment.start : moment.end]
        assert moment.since < moment.until
        assert moment.since.tzinfo is moment.until.tzinfo is at.tzinfo
        assert format_date(moment, "en")
        assert format_date(moment, "zh")
        end = moment.end
    absolute(text, at, "en")
    absolute(text, at, "zh")
    whole = parse_moment(text, at)
    assert whole is None or whole.text == text.strip() or text.strip().endswith(whole.text)


@given(when=st.dates(max_value=date(9999, 12, 30)), at=moments_in_time)
def test_an_iso_date_is_that_day(when: date, at: datetime) -> None:
    moment = parse_moment(when.isoformat(), at)
    assert moment is not None
    assert (moment.since.date(), moment.grain) == (when, "day")
    assert moment.until - moment.since == timedelta(days=1)


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "年",
        "一",
        "半",
        "半年",
        "a ",
        "1-",
        "2026-",
        "11:11 ",
        "the ",
        "may ",
        "今天",
        "每周一",
        "early ",
        "end of the ",
        "mondays, ",
        "every monday and ",
        "from ",
        "周一到",
        "3月1日到",
        "上半",
    ],
)
def test_time_grows_with_length_only(unit: str) -> None:
    def read(text: str) -> None:
        find_moments(text, AT)
        parse_moment(text, AT)

    linear(read, lambda n: unit * n, count(8_000, 32_000) // len(unit))
