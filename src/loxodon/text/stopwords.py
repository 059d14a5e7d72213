"""Words that say nothing by themselves. Pure data: lower case, and simplified Chinese.

    ENGLISH             function words; a search index leaves them out
    CHINESE_CHARACTERS  function characters; a pair made only of them is left out of an index
    CHINESE_WORDS       function words, chat fillers and words too general to be a keyword
    FILLERS             the same for English: too general to be a keyword, yet worth searching for
    CHINESE_PROTECTED   everyday words with a function character in them, not to be cut apart there
    CHINESE_NOMINAL     words that join nouns though a dictionary has them as verbs: 内存泄漏

ENGLISH leaves out words that are also content ("may", "us", "won"): losing a month or a country
costs a search more than an entry too many. Negations are in it: an index of words cannot use them.
"""

from __future__ import annotations

ENGLISH: frozenset[str] = frozenset(
    """
    a an the this that these those
    i me my mine myself we our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    who whom whose which what when where why how
    am is are was were be been being have has had having do does did doing done
    will would shall should can could might must ought cannot
    not no nor neither either none never
    and or but if then else than so because as while until unless although though whereas whether
    of at by for with about against between among into onto through during before after above below
    to from up down in out on off over under upon within without toward towards via per
    again further once here there all any both each few more most other others some such only own
    same too very just also even still yet ever
    s t d m ll ve re don isn aren wasn weren hasn haven hadn doesn didn couldn wouldn shouldn
    mustn needn mightn ain
    """.split()  # noqa: SIM905  a block of words is easier to read and to keep than a list
)

CHINESE_CHARACTERS: frozenset[str] = frozenset(
    "的了着是在我你您他她它们咱俺这那哪此之其和与及或而但且则就也都还又再很更最"
    "吗呢吧啊呀哦噢喔嗯嘛啦呗哈嘿诶欸哎唉哟呦哇么个些把被让给从对向于以为因所如若虽"
    "等啥谁几每各某该怎什已曾将会能要不没有无别跟到得地"
)

CHINESE_WORDS: frozenset[str] = frozenset(
    """
    我们 你们 他们 她们 它们 咱们 自己 别人 大家 人家 有人 其他 其它 其余 另外 另一 这个 那个
    哪个 这些 那些 哪些 这里 那里 哪里 这边 那边 这儿 那儿 哪儿 这样 那样 怎样 这么 那么 什么
    怎么 为什么 怎么样 怎么办 多少 几个 是否 是不是 有没有 能不能 可不可以 要不要 会不会 好不好
    对不对 行不行 什么时候 哪天 谁的 啥时候 干嘛 为啥 如何 有何 何时 何处 因为 所以 但是 不过
    然后 而且 并且 或者 或是 还是 如果 假如 要是 要不 虽然 尽管 即使 哪怕 只要 只有 除非 除了
    以及 以便 以免 因此 因而 于是 从而 而是 而已 此外 同时 否则 不然 反正 无论 不管 不论 既然
    可是 只是 就是 就算 也是 都是 不是 真是 算是 像是 说是 总是 老是 便是 即是 是的 是因为 之所以
    由于 关于 对于 至于 根据 按照 通过 经过 随着 为了 作为 比如 例如 比方说 譬如 包括 以上 以下
    之前 之后 以前 以后 之间 其中 其实 当中 里面 外面 上面 下面 前面 后面 旁边 左右 以内 以外
    之内 之外 之类 等等 之一 方面 情况 时候 时间 地方 东西 事情 事儿 问题 原因 结果 样子 意思
    部分 方式 办法 方法 内容 一种 这种 那种 各种 某种 种种 各个 每个 整个 可以 可能 能够 能不
    应该 必须 需要 不用 不要 不能 不会 不得 不得不 不想 不行 不好 不对 不错 不太 不再 不同 没有
    没什么 没事 没错 没法 没问题 没关系 还有 也有 都有 有点 有些 有时 有时候 有的 所有 任何 全部
    一切 觉得 认为 以为 感觉 知道 明白 记得 记住 忘了 忘记 想要 想起 想到 想着 打算 准备 希望
    喜欢 讨厌 愿意 决定 看看 看到 看见 看过 看起来 听说 听到 说过 说说 说到 告诉 问问 问一下 请问
    想问 帮忙 帮我 麻烦 麻烦你 辛苦 进行 开始 继续 结束 完成 做完 做好 搞定 处理 使用 利用 采用
    提供 得到 拿到 找到 遇到 碰到 收到 变成 成为 出来 出去 进来 进去 上来 上去 下来 下去 起来
    回来 回去 过来 过去 来说 的话 来着 以来 来自 属于 叫做 所谓 导致 造成 引起 存在 发生 出现
    发现 看来 说明 表示 表明 然而 甚至 尤其 特别 非常 十分 比较 相当 更加 越来越 最好 最近 最后
    最终 最多 最少 首先 其次 终于 到底 究竟 毕竟 已经 曾经 正在 马上 立刻 刚刚 刚才 刚好 目前
    现在 如今 将来 当时 后来 接着 随后 平时 平常 经常 常常 通常 往往 一直 一般 一样 一下 一下子
    一点 一点儿 一些 一起 一定 一边 一个 一只 一次 一共 一旦 一来 一会儿 两个 几次 每次 这次 那次
    上次 下次 再次 多次 首次 有次 每天 每周 每月 每年 天天 今天 明天 昨天 前天 后天 今晚 昨晚
    明晚 今早 明早 早上 上午 中午 下午 晚上 凌晨 半夜 周末 今年 明年 去年 前年 后年 本周 上周
    下周 这周 上个月 下个月 这个月 本月 月底 年底 年初 上周末 下周末 这周末 周一 周二 周三 周四
    周五 周六 周日 周天 星期一 星期二 星期三 星期四 星期五 星期六 星期天 星期日 每周一 每周二
    每周三 每周四 每周五 每周六 每周日 下周一 下周二 下周三 下周四 下周五 上周五 礼拜 小时 分钟
    点钟 半天 一天 两天 几天 一周 一年 一月 那天 这天 当天 有一天 有空 现如今 好的 好吧 好呀 好啊
    好嘞 好哒 行吧 可以的 没事儿 谢谢 谢谢你 多谢 感谢 抱歉 对不起 不好意思 不客气 你好 您好 早安
    晚安 再见 拜拜 哈哈 哈哈哈 哈哈哈哈 呵呵 嘿嘿 嘻嘻 嗯嗯 哦哦 啊啊 呜呜 真的 确实 当然 果然
    居然 竟然 突然 忽然 差不多 大概 大约 也许 或许 恐怕 似乎 好像 仿佛 简直 几乎 几点 完全 根本
    实在 实际上 其实是 事实上 基本 基本上 总之 总的来说 换句话说 也就是说 说实话 老实说 说白了
    怎么说 随便 稍微 顺便 直接 主要 重要 关键 厉害 好看 好用 好吃 好玩 好喝 好听 很好 挺好 太好
    太好了 更好 很多 许多 好多 不少 多么 那么多 这么多 太多 用户 助手 我的 你的 他的 她的 它的
    家里 那家 这家 有个 有种 是个 有人说 据说 反而 反过来 一方面 另一方面 与此同时 除此之外 不仅
    不但 不只 不光 只不过 只能 只好 只想 就要 就会 还要 还会 还能 还想 也会 也能 也要 都会 都能
    都要 要求 想想 试试 试一下 看一下 说一下 讲一下 用一下 等一下 帮个忙 有没 没有人 是谁 有谁
    第一 第二 第三 第一次 第二次 一遍 几遍 两次 三次 一半 个人 本人 有关 相关 对应 分别 各自 互相
    相互 彼此 故意 尽量 尽快 赶紧 赶快 快点 慢慢 好好 重新 再说 不如 宁可 与其 何况 况且 难道
    难怪 超级 特别是 最近几天 这几天 前几天 过几天 后面几天 这段时间 一段时间 那段时间 的时候
    有时间 没时间 负责 附近 发给 交给 送给 借给 寄给 发到 放到 放在 别忘了 别忘 不够 不太好 不了
    受不了 参加 提醒 打开 返回 正常 认真 容易 简单 困难 方便 舒服 开心 高兴 难过 生气 无聊 有趣
    有意思 没意思 奇怪 可怕 可爱 漂亮 真正 真是的 清楚 努力 具体 一致 明显 严重 适合 合适 有用
    没用 有效 无效 足够 有名 著名 受欢迎 有人问 多个 几种 一系列 一条 一家 一位 一名 一台 一本
    一张 一件 一部 两名 两位 三个 四个 五个 六个 十个 上一次 下一次 上一个 下一个 另一个 每一个
    同一个 一部分 大部分 多数 少数 大多数 有一些 有一点 差点 差一点 一共有 共有 拥有 带有 具有
    含有 还没 还没有 从来 从未 从不 至少 至多 最大 最小 最高 最低 第一个 最后一个 想法 看法 说法
    做法 时刻 期间 阶段 过程 程度 水平 范围 角度 层面 类型 种类 样式 情形 状况 现象 不知道 没想到
    没看到 没找到 不记得 不明白 不清楚 怎么了 怎么回事 为何 是什么 什么样 什么的 哪一个 多久 多大
    多远 多长 几岁 就行 就好 算了 罢了 好了 对了 行了 得了 可惜 幸好 幸亏 可见 例外 另说 总共
    合计 约为 接近 超过 不足 以内的 左右的 请教 咨询一下 了解一下 记一下 记录一下 补充一下
    更新一下 改一下 查一下 帮忙看 帮忙查 告诉我 提醒我 跟我说 推荐一下 介绍一下 才能 才会 才行
    才是 笑死 笑死我了 牛逼 绝了 服了 无语 完蛋 名叫 叫什么 名字 考虑 支持 改成 换成 变得 看成
    当成 认成 成了 有关系 试过 去过 用过 做过 吃过 来过 想过 第二个 第三个
    """.split()  # noqa: SIM905
)

FILLERS: frozenset[str] = frozenset(
    """
    us may yes yeah yep yup nope nah ok okay oh ah hey hi hello bye goodbye hmm um uh er wow
    oops lol haha hahaha lmao omg btw fyi imo asap etc eg ie please thanks thank thx pls sorry
    welcome cheers sure maybe perhaps really quite rather pretty almost already always often
    sometimes usually mostly mainly especially actually basically probably definitely certainly
    simply nearly hardly recently finally currently generally clearly exactly otherwise instead
    however therefore thus hence moreover anyway besides meanwhile somehow somewhat somewhere
    anywhere everywhere nowhere ago away back well much many lot lots bit little less least
    enough several various every everyone everybody everything anyone anybody anything someone
    somebody something nobody nothing another whole half one two three four five six seven eight
    nine ten eleven twelve twenty thirty fifty hundred thousand million billion first second
    third last next previous new old good great nice bad better best worse worst big small large
    huge tiny bigger biggest smaller smallest larger largest long longer longest short shorter
    shortest high higher highest low lower lowest early late later earlier soon sooner now today
    tomorrow yesterday tonight morning afternoon evening night noon day days week weeks weekend
    weekends month
    months year years hour hours minute minutes seconds moment moments time times daily weekly
    monthly monday tuesday wednesday thursday friday saturday sunday january february march
    april june july august september october november december jan feb mar apr jun jul aug sep
    sept oct nov dec mon tue tues wed thu thur thurs fri sat sun midnight pm thing things stuff
    way ways kind kinds sort sorts type types example examples case cases part parts point
    points side sides end ends fact facts reason reasons matter matters number numbers amount
    people person guy guys man user users assistant chatbot human get gets got gotten getting go
    goes went gone going come comes came coming make makes made making take takes took taken
    taking give gives gave given giving put puts putting keep keeps kept keeping let lets
    letting say says said saying tell tells told telling speak speaks spoke talk talks talked
    talking ask asks asked asking answer answers answered see sees saw seen seeing look looks
    looked looking watch find finds found finding know knows knew known knowing think thinks
    thought thinking believe believes believed guess guesses guessed mean means meant feel feels
    felt feeling want wants wanted wanting need needs needed needing like likes liked love loves
    loved hate hates hated prefer prefers preferred hope hopes hoped wish wishes wished wonder
    wondering try tries tried trying use uses used using work works worked start starts started
    starting begin begins began begun stop stops stopped stopping finish finishes finished
    finishing continue continues continued happen happens happened happening become becomes
    became becoming seem seems seemed appear appears appeared remain remains remained stay stays
    stayed leave leaves left leaving live lives lived move moves moved moving bring brings
    brought bringing send sends sent sending show shows showed shown showing help helps helped
    helping helpful turn turns turned turning call calls called calling run runs ran set sets
    setting change changes changed changing add adds added adding remove removes removed
    removing buy buys bought buying sell sells sold pay pays paid meet meets met wear wears wore
    worn eat eats ate eaten drink drinks drank sit sits stand stands stood hold holds held carry
    carries carried pick picks picked picking choose chooses chose chosen decide decides decided
    deciding plan plans planned remember remembers remembered remind reminds reminded forget
    forgets forgot forgotten learn learns learned understand understands understood explain
    explains explained suggest suggests suggested recommend recommends recommended describe
    describes described mention mentions mentioned consider considers considered expect expects
    expected suppose supposed assume assumes handle handles handled handling deal deals dealt
    manage manages managed allow allows allowed enable enables enabled require requires required
    provide provides provided include includes included including contain contains contained
    involve involves involved follow follows followed following cause causes caused create
    creates created creating switch switches switched open opens opened close closes closed
    closing save saves saved spend spends spent lose loses lost win wins miss misses missed wait
    waits waited waiting check checks checked checking fix fixes fixed fixing fail fails failed
    failing break breaks broke broken pass passes passed return returns returned raise raises
    raised drop drops dropped pull pulls pulled push pushes pushed hit hits cut cuts read reads
    write writes wrote written teach teaches taught study studies studied join joins joined
    visit visits visited complain complains complained agree agrees agreed combine combines
    combined block blocks blocked based related able available possible impossible certain
    different similar right wrong true false real important main simple easy hard difficult
    quick quickly fast slow slowly full empty free ready fine cool awesome amazing terrible
    horrible wonderful beautiful strange weird funny happy sad tired busy general common usual
    normal special particular single double total near nearby far inside outside behind beside
    beyond across along around since till alone together apart forward ahead gonna wanna gotta
    kinda sorta dunno cuz coz bc tho ya u ur r n im id ill dude bro mate sir madam dear dont
    doesnt didnt isnt wasnt cant couldnt wouldnt shouldnt ive youre youve theyre thats whats
    whos mr mrs ms dr prof ugh meh aha huh yay ouch phew damn hell gosh jeez name names min mins
    hr hrs sec secs mondays tuesdays wednesdays thursdays fridays saturdays sundays mornings
    evenings nights attempt attempts
    """.split()  # noqa: SIM905
)

CHINESE_PROTECTED: frozenset[str] = frozenset(
    """
    会议 会员 会计 会话 会场 开会 社会 机会 约会 聚会 晚会 年会 周会 例会 协会 工会 展会 委员会
    学会 发布会 音乐会 运动会 功能 性能 智能 能力 能量 能源 技能 人工智能 新能源 节能 可能性 在线
    在职 内在 目的 目的地 的士 地址 地铁 地图 地区 地点 地理 地球 土地 基地 工地 地板 地毯 地震
    内地 外地 本地 当地 房地产 地下室 草地 和平 和谐 和田 共和国 与会 参与 给予 供给 更新 变更
    更换 更衣 就业 就医 就诊 成就 都市 首都 成都 丰都 也门 还款 归还 偿还 再生 太阳 太极 太空
    太太 太平洋 要点 要素 摘要 纪要 必要 概要 不动产 不锈钢 不孕 不丹 有机 有限公司 有效期 所有权
    私有 有氧 没收 无人机 无线 无锡 无糖 无障碍 别墅 级别 性别 区别 类别 识别 告别 对象 对话 对手
    对接 对比 反对 绝对 相对 派对 配对 核对 校对 对账 对联 向量 方向 倾向 向日葵 转向 导向 以太坊
    以色列 以太网 为人 行为 华为 因素 基因 因果 所得税 厕所 派出所 交易所 研究所 诊所 事务所 场所
    如皋 若干 等级 等待 高等 平等 几何 几率 茶几 每日 各地 某宝 将军 即将 麻将 已读 着陆 着色
    着急 穿着 沉着 跟踪 跟进 到期 迟到 到账 签到 报到 到货 得分 所得 心得 得力 可用性 把握 把手
    火把 车把 被子 被动 棉被 让步 从业 服从 从容 个体 个性 个性化 个税 单个 之江 之家 此刻 哪吒
    那曲 我国 自我 他人 它山 我的世界 哈尔滨 哈佛 哈希 哈利波特 着装 但丁 且末 或门 而立 又一城
    很久 了解 终了 是非 国是 吧台 网吧 酒吧 贴吧 吧主 呢子 啊哈 什邡 学习 大学 学校 学生 学院
    同学 数学 文学 化学 科学 医学 哲学 学费 留学 上学 放学 开学 小学 中学 学期 学历 应用 费用
    信用 用途 作用 通用 专用 用品 日用品 用餐 用药 写字楼 写作 写真 买家 买卖 看病 做梦 吃力 喝彩
    住院 住址 住宅 住房 叫车 说明书 小说 说话 传说 玩具 玩家 玩偶 养老 养生 养殖 营养 来源 未来
    来电 去世 去重 去向 开发 开源 开车 开关 开支 公开 打折 打印 打印机 打车 打卡 打包 打工 打球
    打字 听力 听众 听写 找零 带宽 带货 宽带 领带 戴森 弹性 弹窗 换行 换算 卖点 卖家 喂奶 订单
    订阅 订金 改版 改造 整改 修复 修改 修理 装修 发布 发票 发烧 发展 发明 开发者 发音 出发 头发
    沙发 批发 研发 交通 交易 交付 提交 外交 社交 报告 报销 报名 报错 报价 报表 日报 周报 月报
    海报 预报 说服 上海 上线 上班 上课 上市 线上 上传 上限 上下文 下载 下班 下线 下单 下限 地下
    下游 中国 中文 中心 中间件 中药 中医 集中 高中 初中 前端 后端 前台 后台 前锋 后卫 后缀 前缀
    后悔 内存 内科 内核 国内 外卖 外套 外语 国外 外科 海外 演说 解说 学说 做饭 做工 吃饭 吃货
    小吃 吃药 喝酒 喝茶 喝水 购买 叫醒 换乘 兑换 转换 交换 切换 替换 变换 失去 太原 太湖 刚果
    金刚 人才 才艺 天才 自由 理由 缘由 由来 含量 包含 含义 招聘 招生 招商 招牌 招标 招呼 招待
    先生 优先 先进 先锋 祖先 只读 搬家 搬运 想象 理想 思想 梦想 联想 听课 看板 看护 开锁 开题
    打架 打赏 找茬 带薪 温带 磁带 换季 交警 交换机 交流 报警 报纸 教育 教师 教授 教练 宗教 家教
    读者 阅读 读取 读书 朗读 跑步 跑道 跑车 选择 选举 选手 候选 选修 调查 调试 调度 调用 协调
    空调 调整 调味 强调 加班 加密 加油站 加拿大 增加 加速 加载 添加剂 装备 装置 安装 包装 服装
    西装 装饰 时装 改善 改革 修养 研修 发动机 发热 发货 发型 发酵 发送 触发 并发 爆发 分发 蒸发
    启发 学术 学者 学位 学科 学员 自学 科学家 文学家 学区房 用量 用法 用例 用电 公用 备用 常用
    商用 军用 实用 用人 写法 编写 描写 撰写 手写 看房 养猫 养狗 养护 培养 抚养 休养 住户 入住
    居住 去除 过去式 来访 往来 开幕 开盘 开票 开销 开业 打针 打磨 拨打 听诊器 弹幕 炮弹 子弹 换热
    订购 预订 签订 订婚 修订 修车 维修 装配 组装 交友 交税 报关 报考 申报 电报 情报 汇报 举报
    警报 报刊 播报 教材 教程 教室 教堂 读音 跑腿 跑鞋 选题 选品 精选 挑选 加工 加盟 加热 附加
    调研 调解 调料 调色 单调 格调 大会 议会 会见 会长 省会 国会 集会 教会 体会 宴会 误会 会餐
    会展 商会 舞会 庙会 会面 会诊 会馆 演唱会 董事会 居委会 原则 规则 准则 法则 正则 细则 地位
    地面 山地 地质 地带 阵地 地形 大地 地域 驻地 陆地 落地 产地 营地 高地 田地 原地 地道 地产
    场地 湿地 绿地 职能 机能 效能 电能 核能 全能 能耗 热能 太阳能 体能 对方 对付 对面 对策 对口
    对岸 对数 病因 因子 起因 调和 总和 协和 维和 和服 和牛 饱和 面向 趋向 定向 指向 流向 动向
    意向 双向 风向 内向 外向 志向 单向 逆向 人为 有线 有声书 有限 无人 无机 无菌 无线电 所长 住所
    会所 将领 主将 领先 先行 先例 口才 秀才 被告 被褥 被套 羽绒被 衣着 京都 古都 都匀 埃及 普及
    纲要 太子 太平 犹太 太极拳 个案 个股 个头 个别 买房 买单 吉他 他汀 标的 路由 路由器 事由 以太
    等离子 等候 着色器 得失 所在地 于都 因特网 更年期 最优解 最高法 不等式 不良 不动 发电 发育
    发动 开花 开局 开户 开店 教学 教训 学问 学业 学分 学派 学识 学徒 用水 用地 用具 用语 用工
    用车 用料 调节 调动 调控 调配 报酬 报社 报案 交叉 交货 交际 交费 弹簧 弹药 弹琴 卖场 卖方
    看点 装机 装潢 选项 选址 选民 养分 养育 住宿 订货 订票 改动 听筒 带队 招工 读物 读本 玩意
    玩法 过度 过量 过户 过敏 过期 过滤 过节 请求 请假 请柬 申请 邀请 法学 美学 力学 光学 入学
    升学 导弹 炸弹 佛教 道教 公交 公交车 长发 金发 海带 腰带 皮带 胶带 套装 服用 食用 试用 家用
    医用 饮用 年报 晚报 快报 季报 通报 人选 竞选 色调 长跑 书写 来宾 来信 返回值 中秋 中秋节
    里程碑
    """.split()  # noqa: SIM905
)

CHINESE_NOMINAL: frozenset[str] = frozenset(
    """
    学习 泄漏 泄露 检索 迁移 开发 设计 管理 测试 训练 优化 部署 分析 识别 生成 推荐 搜索 存储
    备份 监控 过敏 认证 授权 登录 注册 支付 配置 编程 翻译 合成 推理 计算 通信 通讯 运营 运维
    运行 调度 调试 调用 接口 更新 升级 发布 构建 编译 缓存 索引 查询 同步 异步 请求 响应 加密
    解密 压缩 渲染 校验 验证 审核 审批 报销 装修 维修 维护 保养 保险 办公 教育 培训 考试 面试
    招聘 招生 销售 营销 采购 物流 配送 旅行 旅游 出差 自驾 露营 徒步 跑步 爬山 游泳 健身 瑜伽
    摄影 绘画 写作 阅读 烹饪 烘焙 理财 投资 贷款 融资 并购 上市 创业 离职 入职 辞职 裁员 加班
    搬家 结婚 离婚 怀孕 生育 住院 手术 体检 康复 失眠 头痛 发烧 感冒 咳嗽 诊断 治疗 护理 急救
    消费 退款 退货 投诉 预订 预约 订阅 签证 移民 留学 毕业 实习 比赛 训练营 会议 聚会 演出 展览
    纪要 引导 重试 重置 退避 超时 阻塞 死锁 并发 崩溃 报错 告警 降级 限流 熔断 扩容 缩容 回滚
    灰度 埋点 微调 召回 排序 去重 聚类 分类 预测 评估 标注 蒸馏 量化 对齐 建模 仿真 控制 驱动
    采样 滤波 定位 导航 翻新 改造 规划 预算 结算 对账 清算 审计 合规 治理 服务 保护 安全 显卡
    知识 报告 设置 缩进 模拟 研究 实验 观察 记录 跟踪 复盘 总结 汇报 演讲 谈判 合作 竞争 推广
    宣传 邻居 合同 快递 外卖 超市 诊所 攻略 烧烤 近视 减肥 骑行 导演 绝育 高考 答辩 简历 请假
    需求 带宽 延迟 吞吐 提交 合并 负载 积分 播客 待办 清单 营收 首付 驾照 换行 集合 继承 递归
    引用 回调 签名 闭包 相机 异常 进度 离线 在线 集成 溯源 订票 追剧 健康 睡眠
    """.split()  # noqa: SIM905
)
