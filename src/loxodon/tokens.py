"""Token counts: estimated without a tokenizer, or exact with `loxodon[tokenizer]`.

Both are for o200k, the tokenizer of GPT-4o. It splits a text into pieces, and each piece on its own
into tokens. The estimate splits alike and guesses what a piece costs: a word by its letters, and
Chinese by which characters and pairs are one token. `bench/tokens.py` measures how well.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cache, lru_cache
from math import sqrt

from loxodon.errors import ConfigError

Counter = Callable[[str], int]
"""How many tokens a text takes."""

# o200k's split without its Unicode classes. The lengths are bounded for the sake of the cache.
_PIECES = re.compile(
    r"[^\r\n\w]?_?(?:(?:[A-Z]{0,32}[a-z\u00c0-\u024f]{1,32}|[A-Z]{1,32})(?:'(?:[stmd]|re|ve|ll))?"
    r"|[\u3400-\u9fff]{1,32}|[^\W\d_A-Za-z\u3400-\u9fff]{1,32})"
    r"|\d{1,3}| ?[^\s\w]{1,64}[\r\n/]{0,32}|\s{0,64}[\r\n]{1,32}|\s{1,64}(?!\S)|\s| ?_{1,64}"
)
_WORD = re.compile(r"([^A-Za-z\u00c0-\u024f]*)([A-Za-z\u00c0-\u024f']+)")
_REPEAT = re.compile(r"(.)\1\1+")
_ENDS = (  # of sentences, of words, of characters with what is joined to them
    re.compile(r"[。！？]+[”’」』）]*|[.!?]+[\"')”’]*(?=\s)|\n"),
    re.compile(r"(?<=\S)(?=\s)|(?<=[\u3000-\u9fff\uff00-\uffef])|(?=[\u3000-\u9fff])"),
    re.compile("(?s).(?:[\u0300-\u036f\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|\u200d.)*"),
)

# Printed by `bench/tokens.py --fit`, which says what they are.
_KINDS = {"lower": (-0.45, 0.115), "Title": (-0.29, 0.114), "UPPER": (-0.48, 0.213), "Mixed": (0.33, 0.097), "signs": (-0.25, 0.262)}  # fmt: skip # noqa: E501
_LEADS = {"": (-0.66, 0.142), " ": (-0.52, 0.079), "\t": (-0.14, 0.152), ".": (-0.42, 0.137), "-": (-0.01, 0.131), "_": (-0.42, 0.128), "/": (0.02, 0.145), "(": (-0.09, 0.133), "'": (0.5, 0.135), "?": (0.47, 0.132)}  # fmt: skip # noqa: E501
_GRAMS = b"GDA?@;F<>GDC?CECDDJO>HB@AC@=A9A@PIGGP9K@GM4@@CH8ALHFC<KDKIJUFJ+LHF?BKEAO@ABJL@CGFAEAP:F<IAGFK8,DC>I<?;<>9L9@A=C>;BKD@=CHHKC@KNLFGKF@DG3>6D@?CN:?G?CA@N>H;=F>FFCRRF8H5DKKFBK?<7GEHB?BI@A@AHFE@F@=;=FAA=MFJ?G@<>>@DBE>I@I:KAOA@DEEBC9;?5@><FJB=C;@;9;A?>N=ADBBFOKT?HE;IOD?5@L3GIC4<D=MA>@49ABCIFDED>LNG@=BQKDHCBNAG>JG=H>E=A>>>K@==ED<FBK>CA<EEEIBBBH?C8KAI;F:;>G9=F=>9A;5<DB2N9<F=DCC3LLNMJEDKA<>HCAFBG?BCC9A5DJ?>DDP=G2@L?I8?<EH9MNM;I=G@>M;DE>CCEFC=BB@E?DFCEDK=CAIFCBMA>>@@<?@K@ELAJBYEGL?FEDL8IADEHCADFA:?<JA:<:P@H>=FBN@J=C=FJ<KN;HILHC>AB@B>GHFE=GDEGAMDH<AII;DJR?O>AF>GMGHGFHEFB9@D=C=B?<H?J?>5O=AG@/BMNBNDM>N<54;A<=?=;DHDC??C>?@?:@>;FG7GBGN8CEDCI9HLEC=8A7AEN@:A5=@L@D?9<GGWBC?LLB5J=?K:IF;9::F??GJBK5C?ENHHSACBP=E8ECH==IA<GPK5DCB17A4TGAB<@=;;T@<8C>A:E;L==AB9HCF>LIECF6B<BPK;CPHIN5:;NA6FFG>FHBEKJ;@LBK9@@1=@GHKKLLK@S<ACJ@/@IDJ;;@D6G>CHB8FN2NOCAC>AEAG1C>CI?DC@D>7E5AGFLK=AE>9AEBA<GAIJG<?9BG6HHAHAFIE?@=KBHKC?IGDOM=/D<BBKCKD068ERK8EJFKIL@A6PC@?>E?>C4DJHI?FEKH5BM7CA=GLNN;EIIDIDQGA<?G??AF@C;DEB<G>C>?DC@7A/;A9??IV9GC=H;N>P>>INBRREHDDEC=MKJHOF9<9DBE<GGC;:EDDF>@@<:DH=GFHJHB4A>DE5=BBBH7DJ?;FE>@DFLH:HF9<FM=CK>DBJ@8:=??AI)8PE<D<A<B?A?@?C>D@CA?GGED>ID97HGHGAGIH>I:EEDNGFANQQDGR??=?ALGMDFKK;=A@9<=;<=FEBA<M>L:@CEH?JKF?DIE;8C=?@N;LOQBCEBCID5FK;C@<<:??GCCH:<=C<B=;4<:=B?IADEG;<@=H=I>JBS@?@:?KN==G6EDE>C9OAEC89CF@IC;:EH>DI5HI<BD>HGIB<AA;<@?8EB9GMC:BCSNA:E@?HH?;H=@DDL@@=<CABI@@@AG;<A6@HACADE8Q79@EFFLB=JG@?ELL8KH=CC9GB<F>:HGEKC<9>BF@>FA?EEJ?GA?BM=EJ<G=B:I@AAH@THB@MC;<>KF?G@?JA?=>BA<>@IHF?:<8H>E8DBAB7O=><;:8AC<B;7JHMAN?E7GE@?K<=CJ@ALKDAA?@=CI9@APBBH7B?F=?DC>D@KBH>AEIHAEFRI@FGJHMLQ@9<>@<CEC@EBC:F9BDE=A7ILEEM@ICNTYDA3:BQF=A?G@K:AIM>M=DAM?OE??C>.BO<@CNH<VJDEJJFKC>CMCLK4ED@D@BGNIAD4AEC-E>J@AF=>N??1J05?>@IFDI@C59GE@:KA7?8>=HJ=A?;K>=JA?HEI>@CDGBEKJNDMK>HLAI6CGFII;CRGIBFH:7ECIBG;C>HC@CL@K??6@>I?B;H<HBB;?:A?98:IH;<H8>@D<A?>;;9@CQ9CA;CM=7AD8<EJ5??G=FM<>;>E=>B:J1CT;4B<C=AFQK<K>K@;===;AA<1=?DFJ@:B=F?=GAG=9C<=L??HF??@B>J>FEDCAN;4EC;CG>@:@69<H?A5?JB>DMIC>NIEEIBH>FDANIKHFF?FE;H<J=?AFECPCEIG.FHFCNHJ9GFD:MSG?L=R?E@8GNLA@2L?GGC@=CDAI@FFGGKE>MP@B=@JKACA:;>;9FD8ACA:=AC<CG:C@>@8;;ANAACOJ<C@DF8>CGE?A=CCEC@>@?G;OKFGC@;D@>@FA@=;7=?;=CFBC:DD=@5AGKBBG58GBC@J<DBBAD7BA82?FJ@E<9?HGC>HMFJ>?<@?9G:GA@@;G?<?B:E=;F:GMAKFB9LFI;@GLFAIMFLAKCBG?AKFO?A3BEEGICFJ?D<4BHCI?A==?A=F>E>Q?BFF@M?@BBJ;:<D@??=CG<KFCD=>@D8LEGHA@59><=>>?@@6?C?<???D>??B?QD7:?7FAEN<?;AN<GFKAPH@F=>?HA=LQR@B?DEECB:7FE=;G>=?@MEJDD?8G8::CBLJEFC>ABC@?CM=EE@FLG=>CBKA>B8BFHH>IC@7@A@@@9ADA>=AA=DC<>;@?EEB@JI?RFBICB>LEIEBN>IL>>@E#I;B?NKHYUK8AD:@A7;A<<H@4CJ@=B=G;>?H=6JBE@?9>7DC<>@=BB;=AA<D=?;L;;7<GL8GA?9><8AAAAAB=@;IB:?DACDB?;<=9C=G9@I=8=BPF:=CN?C@?@C7;9B=EJCK?CL?:@FA@?E>B?A>CE?<EBD>6B?>BKKJ:OHLMB=EIJGGB2EJ;:NE=KFI<ALDKDI4HBE>;<DDB?@FF?:9AD<2?9?F<BFD@;IL?<A@H@OHFBGFLIA<GDAF>ECGGI@IB:4=>IJ<?CE@>@<O?K>JDKJ=HAG@IFHN:D><G=BCFAA@:A@?ACCGG>G7K=CE<IF:FFAD@B9><M<;:B?:HA>IB?ICCA1>K8AIIC@DGDAJ<:B<CCGAA?:D1IE5>GFFE:IPDLMJ=:BCD@MGD=;DFDAA:<<@QA@G:G@GI??BBKA>JBGEB@?4?B@?F>?GAMC7?7MCHB@4I?BCEA8I;<EI@;B=C?6IL89;AELB=LB.LD@GAFBHHGDAFMEAMGEFIK@FCFGE9<:IE?[KA8HID==8?DE@5=C@7C>78?6E=1<@><FEEJC>BD;39NJ9CLD@LD*?=@J>77QGEF6H@@IKU8@D;H@?;E8K?D<D@I?G;:9B@BPI?9FGII4M?>:@O?:<QG=3AJID2<:IBCBKFGH@DO9NGE>?BIFB@>B:8=Q>-DABAJCHCA<E>:F@?HG?IK@EHID??BE;EIF8A>EDLODC=ANNETHJCAARKEBOCEDO3@E@P@=@RD<PCIAF?COEQFJHC8HHCKDIMGNG=PFTFFMMKH?<?I8A<<@;?I;HQD<GELB8=E@3CMFH@NFJ:JH7A<=A?EA=:>AB>=GBI==?CB@HD?9E9;JDDAD<BLFD6=G;97@H9CJHMEAD?>D=D=CH>FAD@KI:HB=VJFH:>HFBGBDH>TFC:BFED@LLBGGCBA=DF9:C?EPOBDOF?@?GFI@DH;BAAJ=>C9B>?L99A:GUCCABBDAGAAAD>?BD=OLDDN@<=A68EMMKLK@D;DDACAAC@BA5DKF?F=I?G:@GE4AEFBF>R=G:CDBB6=68JDDAF@@GA<M=9CKDOC>=DI#AHC?=E9AQ4D<ARD<CCIPINJN8?EF>4H?HAGAF<<BGAI@6F>GTC<4A>GAD<DHD:GD6:BH:F=;AN@<FD?>B??C9=BHC@GBCBL3=CC7<DA=DD@CD@D>?F??ECBBE8HI@<@P<I?AEAE@IGFDD?DJ?6@BD8<DJ@=CFK:=JAA:@I>F<>C8<OE6ELFB;:DBA>D>?:@@E?;AA@<>@<:>>>AN=AGA9=@E:A@KDCHCA<@=B=EBF8DEHG;BBCE<C@LA<A?OBD??<>;@KB9:H@1J?D@CLF@=AF;GI23GF><7>E@=AA:NJC@HG<?H@>LGFI?GB@A@CAKJCBAKED>DJI@;G3==LJDEAC?BDDJ8C@CBCJDH?B7ECGG>FCB8EF@>D?<0;B@?;EGCFC;=DT;D:F<AGJ>BGCH@DFFD=CKDJ9D>MCBJG;E;>?FA3B=CDECB??FBD<F9AGJMB@JNGQ8=7?HFEH8D<EEBK?EG@N=:99@9@?=GEDALBIBJG?FP?ACAA?FE8@K7@IDHCO@F:0DAJG;CEHB@G;I=@F2D?DGD<;<H8<CKEF6NE>>CK?FFD>BACB>=NP>ABHJ;A"  # noqa: E501
_SINGLES = "丁七且丘丝並丨串临丶丸丹丽乃乌乔乗乘乙乱乳乾亂亏井亞亦亩亭亲仁仍仓仔仕仙仪仲伊伍伏伝伟伤伦伯估伸佐余佛佣佩來侠価侣侧侯侵係俄俊俗俱俺個倍們倒借倡値倫债倾假偏側偶偷偿傅備储催傳傷働僕價億優兄兆児兑兒兔內兩六兰兵兼兽円冈冊冒冬冰冲冷净凉凝凡凤処凭凯凰凸刀切刊刑刘刚別刻剂則削剑剤剧剩剪副割創劇劲効勇勒動務勝募勢勤勿匙匹區卒卓協卖単卡卢卧卷卸厂厉厘厚厦厨县參叉収叔叫叶吃吊吐吕君吞吟吧吴吸吹吻吾呀呈呢呵呻呼咋咖咪員哦哭哲唐唱啊問啥啦啪喊喘喝單営喷嗎嗯嘉嘎嘛嘴嘿噜団囲図圆圈國園圖團圣坂坊坏坐坑坝坦坪埃埔堡報場堵塑塔塘塞墓増墙墨壁壇壮売変夏夕夜夢头夹夺奈奉奏契奔套奥奴奶奷奸妇妓妖妙妞妮妻姆姓姚姜姨姿威娃娇娛娜婚婦婷媳媽嫁嫂嫌嫩嬉孔孕孙孟季孤學宇守宋宏宗宜実宠审室宫宮害宴宽寄寒寓寝實寨寫寶寺対寿封専射將專尊尋對導尖尚尝尸尽尾尿屁届屋屏履屯岛岡岩岭岳岸峡峰島崎巡差巻币帅帖帝带師帯帰帳帶帽幅幕幼幽広庄床废座庫廉廣廷弃弄弊弗弘弟张弱張強弹归彦彰役彼往征後徐徒從御復徳徴忆忍忘忙応忠忧忽怀怒怕怖怡急怪恋恐恒恩恶悉悟悠悦悪悲惊惑惜惨惯愛愿慈態慎慢慰懂應戀戒戦戰戲戴戶戸戻扎扑扒払托扣扬扰扱抓抗折抜択抢披抱抵押抽拆拉拍拒拓拔拖拘招拜拨拳拼拾挂挡挣振挺捕损掃掉掌掛採掲揉換握揭援搏搞搬搭携摆摇摸撃撑撒撞撤撮撸擊據擦攝敌敏救敗敢散敦敬敵數於旁旋既旦旧旨旬旭旺昂昆昌昔映昭昼時晋晒晓晰晴晶暇暑暖暗暨暮暴曜曝曰書曹曼曾替會朗朝木末札朱杀杆杉李杏杜杨杯杰東松枚枝枪架柄柏某柔柜柱柳柴査栋栏树栗株桂桃框桌桑档桥桶梁梅條梨梯棋棒棚椒検楚業極楼楽榜構様槽樂樓標樣横橋機橹橾權欠欣欲欺歉歓歡歩歲歳歴歷残殖殺毁毅母毎毛毫氏気氣氧汁汇汗池汤決沁沃沈沉沒沖沟沢沪油沿況泄泉泊泛泡波泥泰泳泽洁洋洗洛洪派浅浆浓浜浦浩浪浮浴涓涙涛涩涯液涵淘淡淫混済渐減渡温測湘湿満準溪滋滑滚滨滴滿漢潔潘潜潭潮澡灣火灭灯灰灵灾炉炎炒炮炸為炼烈烟烦烧無焦焼煌煙煤熊熱燃燕營爆爰爵父爷爽牙牛牡牢牧牲犬狐狗狠独狸狼猎猛猜猪猫猴獸玄玉王玖玛玲玻珍珠班現琪琳琴瑞璃環瓜瓣瓦瓶甘甜產産田甲甸町畅番畫異當疑疲疼症痛療癌発發白皆皇皮盆盈盐盒盗盘盛監盤盾眉県眠眼睛睡瞬矩短石矿砂砖硕硬碍碎碑碰確碼磁磨礼祖祝祥祭禧禽禾秋秒秦稍税種稱稿穆積穴穿窍窝窥竟端競竹笑笔筆筋筛筹箭節篇築篮簡籍米粉粒粗粤粮糕糖紀約紅納純紙級紧紫細紹終組経結絡給統絲絶經続維網総緒線締編縄縮總績繁續纠红纬纯纲纳纵纷纸纹绕绘绝绪缘缩缴缺罩羅羊羞義羽翁翌習翔翠翻翼耀耐耗耳聘聚聞聪聯聲職肃肉肌肖肤肥肩肯肺胃胎胖胜胞胡胶胸脂脚脱脸腐腕腰腳腹腾腿膜膽臀臣臭臺與興舍舔舗舞舟舰船艇良艳艷艾芝芬芯花芳芸芽苍苑苗苦茶茸草荒荡荣药荷莉莎莓莞莫莱莲菌華菲萄萌萝萨萬葉著葛葡蒂蒲蓝蔡蕉蕩薄薦薪薬藝藤虎虐處虚號虫虹蛇蛋蛛蜂蜜蝶血術街衛衣补袋袖袜袭裁裂裏裕裙補裝裤裸製襪見規視覚覧親観覽觀触訂計訊討記訪設許訳診証評詞詢試話詳誉誌認誘語說説読誰課調談請論講謝證識議護讀變讓诀诈诊词译诗诚诱诸诺谈谋谜谨谱谷豆豊豪豹貌負財貨販責買貸費貼賀資賞質購贝贤货贴赁赋赌赏赔赖赠赢赤赫走赴赵赶跃跌跑跟跨跳踏踩踪躁車軍転軽較載輪輯輸轉轨轩轮轴辉辖辛辞辣辦辨辰辱農边辺込迁迅迈远迟迪迫迷迹适逃逆逊逐递這連週進逸逻逼遂遊運遍過達違遗遠遣遥適遭遮遵選還邑邦邪邻郎郑郭郵酷酸醉醫野鉄鉴銀錄錯録鍵鏈鐘鑫钢钥钻铃铜铭铺锁锅锋锐锡锦镇镜長門閉開間関閱閲關闪闲阁阪阴阵阻阿陈陌陪陰陵陶陷険陽隆隊階隔際雀雅雑雕雙雞離難雨雪零雷電震霍霞霸靖静鞋韓響頁頂頃項順須預領頭頻頼題額顔願類顺顾顿颖颗風飛飯飲養館饭饮饰馆馨馬駅験驗驰驱驻骑骗骚骨骰體鬼魂魅魏魚鱼鲁鲜鲸鳥鸟鸡鸣鸭鸿鹅鹏鹰鹿麗麟麦麻麼黃黒點鼎鼓鼠鼻齐齢龍"  # noqa: E501
_PAIRS = " 一 三 上 下 不 与 专 两 个 中 为 主 举 二 五 人 从 他 任 优 会 位 作 保 信 修 做 元 光 入 全 公 共 内 写 出 分 创 初 利 到 制 前 功 加 动 包 十 单 即 原 去 又 双 发 可 合 同 名 后 和 哪 商 四 回 国 图 在 地 基 外 多 大 好 如 子 字 学 安 完 官 定 实 客 密 对 导 将 小 就 展 属 工 已 常 平 年 应 延 建 开 引 强 当 很 得 微 必 快 怎 思 性 总 情 意 成 我 或 房 所 手 打 找 技 指 排 接 控 推 描 提 插 搜 操 支 收 教 数 文 新 方 无 日 时 是 普 更 最 月 有 未 本 权 条 来 极 查 标 校 根 格 模 次 正 此 每 比 汉 沙 注 活 消 添 清 点 特 状 环 理 生 用 电 登 百 的 相 看 示 禁 私 空 第 等 简 管 类 系 给 编 网 美 联 股 能 自 若 英 行 衡 表 被 要 解 请 调 超 转 输 运 连 通 那 邮 部 都 配 重 金 长 防 非 页 项 风 首 高 魔 默%的“一“三“不“两“大“小”为”和”的”等、一、不、中、人、公、多、大、小、市、新、更、有、本、水、生、电、省、美、自、高。一。不。从。他。但。同。在。如。当。我。据。有。本。而。这》中》和》的》等一下一个一些一句一天一定一家一年一本一样一次一步一点一直一种一级一致一般一起一路一道万个万人万元万吨丈夫三个三星三级上一上下上传上午上市上海上涨上的上述下一下午下来下载下降下面不上不中不了不仅不会不停不像不到不可不同不好不少不开不得不断不是不用不能不要不起不足不过不错不限与你专业专家专项专题世界世纪业务东京东北东方东西两个严格严重个人个位个月中了中华中国中央中心中文中的丰富为了为何为空主义主人主任主体主动主席主持主管主要主页主题举办举报举行之一之前之后之外之间九九也是书记了一了吗了解事业事件事务事实事情事故事项二维于是云南互动五星五月亚洲交换交易交流交通产业产品产权产生人与人为人人人体人口人员人在人士人大人工人才人数人格人民人物人生人的亿元什么今天今年今日今晚介绍他们他的他说代理代码代表令人以上以下以内以前以及以后以来价值价格任何任务企业优势优化优惠优秀伙伴会上会员会议传奇传播传统但是位置住宅住宿住房体现体系体育体验作为作品作文作用作者你好你的使命使用例如供应依据依法便利促进保存保护保持保证保险保障信息信用修改值得做到做好停止停车健康儿童允许元素充分先生先进免责免费党员党委党的党组入住入口全国全年全文全民全球全部全面公交公众公共公务公司公告公安公布公平公开公斤公里共产共享共同共和共有关于关注关系关联关键关闭兴趣其中其他其它其实其次具体具有内容内部再次军事农业农村冠军决定冻结准备准确凌晨减少几个几十几年几点出了出去出口出售出处出来出版出现出生出的出租函数分享分别分析分类分钟分页列表创业创建创新创造删除判断利润利用利益别人到了到底制作制定制度制造刷新刺激力度力量办公办法办理功能加入加坡加工加强加载动作动力动态动物动画助手努力劳动包含包括包装北京区别区域医学医生医疗医院匿名十一十三十九十二十五十八十分十四十大千万升级半年协会协议协调单位南京博士博客卫生印度危险即可历史压力厕所原则原因去了去哪去年参与参加参数参考及时友情双方反馈发动发展发布发挥发现发生发行发表发送取得取消受到变化变量句话另一另外只是只有只能召开可以可信可是可能可靠台湾号码司机司法各种合作合同合法合理吉林同志同性同时同期同步同行名单名字名称后一后台后来后的否则启动告诉员工周年周期和值和平咨询品牌品质哈哈哈尔响应哥哥哪个哪些哪里唯一商业商务商品喜欢四川回事回复回应回来回答因为因此因素团队困难固定国产国内国务国外国家国际图库图片土地在人在哪在线地下地主地产地区地图地址地域地方地点坚定坚持垃圾城乡城区城市培养培训基地基层基本基础基金填写增加增强增长声明声音处理处罚备注备用复制复杂外交外国多个多久多人多少多年多数大众大会大利大厅大型大学大家大小大师大战大的大胆大道大量大陆天下天地天堂天天天气天津天然天空太阳失败奋斗奖励女人女士女子女孩女性女生好了好友好多好的如下如今如何如果如此妈妈妹妹始化姐姐姑娘委员娱乐媒体子的字体字段字符存在学习学校学生学院孩子安全安徽安排安装完全完善完成完整官方官网定义定位宝宝实体实例实力实施实时实现实行实践实际实验客户客服宣传宣布家具家庭家的容易容量密码对于对应对此对象寻找导演导致导航将在小姐小学小时小说少女少年尤其就业就在就是尺寸尼斯居民展开展示属于属性山东山区山市岁的岗位州市工业工作工具工商工程工资左右巨大已有已经巴黎市场市委布局希望帐号帮助常委干部平台平均平方年代年份年前年底年度年来年的年第年轻年龄幸福幸运幻想广东广告广大广州广播广西应用应该建立建筑建议建设开发开启开始开展开心开放开的异常引用强化强调当前当地当天当然形式形成影响影片影视待遇很多很好律宾律师得到循环微信微软德国心理必要必须快乐快捷快速怎么怎样思想性的性能性质总体总结总统总部恢复患者您的情况想到想着意义意味意思意见意识感染感觉感谢成为成人成功成员成年成本成果成熟成立成绩成都成长我们我国我是我的我要或者战争战略截图截至所以所在所属所得所有所谓手机手续才能打印打开打造执行扩大扫描扫码扶贫批准找到承担技巧技术技能投入投诉投资报告报警报道拥有拿大持续指出指南指定指导指数指标按摩按照按钮挑战授权排列排序排行探索接受接口控制推出推动推广推荐推进措施描述提交提供提出提前提升提示提醒提高插件搜索摄影摘要播放操作支付支持收入收到收益收藏收费改变改善改革攻击放心政协政府政治政策故事效果效率教学教师教授教材教程教育数字数学数据数组数量整个整体整数整理文件文化文字文学文明文本文章新人新华新增新版新疆新的新闻方便方向方式方案方法方面施工旅游旅行旗下无人无法无线无限无需日前日在日志日报日晚日期日本日电日至日讯日起早餐时代时候时报时时时期时间明星明显明确星期春节昨天昨日是一是不是否是在是真是谁显示晚上普通智慧智能暂停更加更多更新最低最佳最后最多最大最好最快最新最终最近最长最高月份月底有人有关有所有效有限朋友服务期待期间未来未知未经本人本文本网机会机关机制机器机场机构机械权益权限材料条件条例来也来了来到来源来的来看来自来说来越杭州查看查询标准标签标题校园核心根据格式案件案例梦想检查检测森林植物概率模块模型模式模拟模板次数欢乐欢迎欧洲歌曲正在正常正式正文正版正确正规此前此外此次步骤武汉死亡每天每日比例比如比赛比较毕业民主民族水平水果永久江苏江西污染汽车没人没有河北河南治理治疗法人法国法律法规法院注册注意活动流水流程测试浏览浙江海南海外消息消费消防涉及深入深化深圳添加渠道游客游戏湖北湖南源码满意满足漂亮漏洞演员漫画澳门点击点评点赞热点然后然而照片爱情爱的爸爸版本版权物流特别特殊特点特色犯罪状态玩的环保环境现代现在现场现实现金球队理念理由理解理论甚至生产生命生态生成生日生活用了用于用品用户用途由于申请电子电影电脑电视电话男人男女男子男性留下疫情疯狂疾病病毒登录登记登陆百万百分百度百科的一的不的人的吗的大的小的新的是的话的钱监听监督监管目前目录目标目的直到直接直播相信相关相比省委看到看来看的看看真实真正真的知乎知识知道研发研究破解确保确定确认社会社区禁止福利福建私人科学科技科研秘书秘密积极移动程序程度稳定空气空间突出突然突破窗口立即竞争章节符合第一第三第二第五第四等奖等待等等等级答案策略简介简单简称算法管理类似类别类型精准精品精彩精神系列系统累计纪委纪录纪律纽约线上线程线路组件组合组成组织终于经典经历经济经理经营经过经验绑定结合结束结构结果给予统一统计继续维修维护综合绿色缓存编号编码编辑网上网友网址网站网络网页罗斯美元美国美女群众老人老婆老师老板考虑考试而言聊天职业联合联盟联系联网股份股票背景能力能够能源自主自动自己自治自然自由自行自身至少舒服航空艺术节点节目英国英文英语英雄苹果范围获取获得菜单营业营销落实董事蒙古虽然融合融资行业行为行动行情行政表现表示表达装修装备西亚要求覆盖观察观点观看规划规则规定规律规格规模规范视觉视频觉得角色解决解析解释解除警方计划计算订单认为认可认真认证认识讨论让我训练记录记者讲话许可论坛论文设备设施设置设计访问证券证明评价评分评论详情详细语言说明请求读取课程调整调查调用谢谢负责贡献财富财政财经责任账号账户质量购买购物贯彻贵州贷款贸易费用资产资料资本资格资源资讯资金赚钱起来超级超过趋势足球距离路径路线身份身体车辆转换软件辅助输入输出辽宁达到过去过滤过程运动运营运行运输近日近期返回还是还有还能这一这个这么这些这是这样这种这里进入进去进口进行违反违法连接连续追加退休退出选择透明透露通信通常通知通讯通过速度造成道路避免邀请那个那么那些那里邮件邮箱部分部署部长部门都会都市都是都有配置酒店采取采用采访释放里的里面重复重大重庆重新重点重要重量金融金额针对铁路银行链接销售错误长度长期长沙问题阅读阳市阶段附近降低限制限定陕西除了随后随机随着隐藏集中集合集团需求需要青年青春非常非法面对面的面积革命韩国音乐页面顶部项目预测预算预计领先领域领导频道颜色额度风险飞机食品首先首次首页香港马上马克驾驶验证高中高度高手高校高清高级高速黄色黄金黑人默认龙江（一）的，一，上，下，不，与，两，中，为，也，于，人，仅，从，他，以，会，但，你，使，全，共，其，再，则，到，加，占，即，却，又，只，可，各，同，在，多，大，她，好，如，它，对，将，小，就，并，应，引，当，很，总，我，把，据，新，无，是，更，有，本，此，每，比，用，由，相，看，第，经，美，而，自，被，要，让，该，说，请，还，这，道，那，都，高"  # noqa: E501


def estimate(text: str) -> int:
    """About how many tokens `text` takes, on the high side: by 4% on average, and by less than 10%
    for nearly all texts of 200 tokens and more. The lines of a text add up to about as much.
    """
    if text.isascii():
        total = sum(map(_cost, _PIECES.findall(text)))
    else:
        singles, pairs = _han()
        # Each run of known characters is cut down to a mark that costs nothing, so that the pieces
        # around it stay as they are. The characters count one each, a known pair of them one less.
        rest = "一".join(singles.split(text))
        total = len(text) - len(rest) + rest.count("一") + sum(map(_cost, _PIECES.findall(rest)))
        before = ""
        for character in text:
            paired = before + character in pairs
            total -= paired
            before = "" if paired else character
    return int(1.02 * total + 1) if text else 0


@cache
def _han() -> tuple[re.Pattern[str], frozenset[str]]:
    """What matches the characters of one token each, and the pairs that are one together."""
    pairs = frozenset(map("".join, zip(_PAIRS[::2], _PAIRS[1::2], strict=True)))
    return re.compile(f"[{_SINGLES}{''.join(filter(str.isalpha, set(_PAIRS)))}]+"), pairs


@lru_cache(maxsize=1 << 14)
def _cost(piece: str) -> float:
    """What one of the `_PIECES` costs on average, in tokens."""
    last, size = piece[-1], len(piece)
    if parts := _parts(piece):
        lead, body, kind = parts
        extra = sum(_GRAMS[gram] - ord("?") for gram in _grams(body, len(_GRAMS))) / 20
        for at_once, each in (_KINDS[kind], _LEADS.get(lead[-1:], _LEADS["?"])):
            extra += at_once + each * len(body)
        return max(1, len(lead)) + (extra + sqrt(extra * extra + 0.05)) / 2  # smooth, never below 0
    if "\u3400" <= last <= "\u9fff":
        lead_cost = 0 if piece[0].isalpha() else 1
        return lead_cost + 2.0 * (size - lead_cost - piece.count("一"))
    if last.isalpha():  # Greek, Cyrillic, Arabic, ...; kana; Hangul; full-width letters
        rate = 0.75 if last < "\ua000" else 0.9 if last < "\ue000" else 2.2
        return rate * size if last > "\u2000" else 0.4 + 0.22 * size
    if piece.isascii():
        return 1 + size / 99
    signs = _REPEAT.sub(r"\1\1", piece.strip())
    return max(1.0, sum(2.0 if sign > "\uffff" else 0.75 for sign in signs)) + size / 24


def _parts(piece: str) -> tuple[str, str, str] | None:
    """What stands before a word, or before ASCII signs; the word or signs; and their kind."""
    if word := _WORD.fullmatch(piece):
        lead, body = word.groups()
        kind = "lower" if body.islower() else "UPPER" if body.isupper() else "Mixed"
        return lead, body, "Title" if kind == "Mixed" and body[1:].islower() else kind
    body = _REPEAT.sub(r"\1\1", piece.strip())
    known = piece.isascii() and len(body) > 2 and not body.isdecimal()
    return (piece[: piece[0] == " "], body, "signs") if known else None


def _grams(body: str, size: int) -> list[int]:
    """Where each three letters of `body`, its ends marked, stand in a table of that size."""
    letters = f"`{body.lower()}`".encode()
    threes = zip(letters, letters[1:], letters[2:], strict=False)
    return [(a * 961 + b * 31 + c) % size for a, b, c in threes]


@cache
def counter(name: str) -> Counter:
    """The counter called `name`: `estimate`, or `o200k` for the tokenizer, loaded at this call."""
    if name == "estimate":
        return estimate
    if name != "o200k":
        raise ConfigError(
            "there is no token counter called {name}",
            hint="use estimate, or o200k for exact counts",
            name=repr(name),
        )
    try:
        from splintr import Tokenizer
    except ImportError as error:
        raise ConfigError(
            "the token counter o200k needs a tokenizer that is not installed",
            hint='run: pip install "loxodon[tokenizer]"',
        ) from error
    encode = Tokenizer.from_pretrained("o200k_base").encode_ordinary
    # Half a surrogate pair, as cut JSON escapes leave it, is no UTF-8: it counts as a "?".
    return lambda text: len(encode(text.encode(errors="replace").decode()))


def cut(text: str, budget: int, count: Counter = estimate) -> str:
    """The longest beginning of `text` within `budget` tokens, with the "…" that says it was cut.

    It ends with a sentence or else with a word, where that uses half of the budget, else with any
    character. Never over the budget; "" where nothing fits.
    """
    if count(text) <= budget:
        return text

    def beginning(end: int) -> str:
        kept = text[:end].rstrip()
        return kept and kept + (" …" if kept[-1] in ".!?" else "…")

    best = ""
    for unit in _ENDS:
        # No token has 40 characters, but for blank space: what is beyond that many cannot fit.
        ends = [match.end() for match in unit.finditer(text, 0, 40 * max(budget, 0))]
        fitting = bisect_right(ends, budget, key=lambda end: count(beginning(end)))
        if fitting and 2 * count(best := beginning(ends[fitting - 1])) >= budget:
            break
    return best
