"""How instructions to an assistant are worded, in the kinds that published work tells apart.

Patterns run over text that is folded (`instructions.py`): lower case, without accents, traditional
characters and invisible ones, runs of blanks made one. They have no look-around, so that RE2 can
run them in a time that hostile text cannot stretch. A blank in a pattern is any white space.

`STRONG` kinds are aimed at a model whoever says them. `WIDE` ones have an innocent reading, and
count only in words that nobody vouches for: tool output, web pages, members of a group.
"""

from __future__ import annotations

_AI = (
    r"(?:ais?|a\.i\.|(?:ai )?assistants?|(?:ai )?agents?|chat ?bots?|bots?|(?:ai "
    r"|language )?models?|llms?|gpts?"
    r"|chatgpt|claude|gemini|copilot|openclaw|loxodon)"
)
_AI_ONLY = (
    r"(?:ai|a\.i\.|(?:ai )?assistants?|ai agents?|ai models?|chat ?bots?|language models?|llms?"
    r"|chatgpt|claude|gemini|copilot|openclaw)"
)
_AI_ZH = (
    "(?:(?:ai|人工智能)?(?:智能助手|智能助理|大模型|语言模型|助手|助理|智能体|聊天机器人|agent"
    "|模型)|ai|人工智能)"
)
_THE_USER = r"(?:the|this|your|our|current) (?:user|owner|account holder|human|operator|principal)"
_USER_ZH = "(?:用户|主人|机主|账号主人|账户持有人)"
_ORDERS = (
    r"(?:instructions?|prompts?|rules|guidelines?|directions|directives?|commands|constraints"
    r"|polic(?:y|ies)|restrictions|safety|programming|training|system message)"
)
_ORDERS_ZH = "(?:指令|指示|提示词|提示语|系统提示|规则|要求|设定|限制|约束|命令|安全策略|准则|守则)"
_ADDRESS = r"(?:https?:|hxxp|www\.|[\w.+-]+ ?(?:@|\(at\)|\[at\]) ?[\w-]+|\+?\d{7,})"
_REPLYING = (
    r"(?:repl(?:y|ies)|respond|answer|recommend|suggest|obey|comply|append|refer to|address"
    r"|begin every"
    r"|end every|start every|treat|act as|act like|speak|talk|approve|trust|bcc|cc|forward|route)"
)

STRONG: dict[str, tuple[str, ...]] = {
    "override": (
        r"\b(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass|discard"
        r"|do not follow|don'?t follow"
        r"|stop following|set aside|abandon|drop|cancel|void|nullify|erase)\b.{0,30}"
        r"\b(?:previous|prior|above|earlier|preceding|existing|original|former|initial|all|any"
        r"|your|system"
        rf"|developer|other|these|those|everything)\b.{{0,24}}\b{_ORDERS}\b",
        r"\b(?:ignore|disregard|forget) (?:all|everything|anything|whatever)(?: of)?(?: that)?"
        r"(?: was| is| has been"
        r"| you were| you have been| i| we| they)? ?(?:above|before this|said before|told|said"
        r"|you know|so far)\b",
        r"\b(?:previous|prior|earlier|above|old|existing|original) (?:instructions?|prompts?"
        r"|directives|rules)"
        r" (?:are|is|have been|has been|no longer|were)(?: now| hereby)? ?(?:void|invalid"
        r"|obsolete|cancell?ed|revoked"
        r"|superseded|overridden|null|apply|outdated)",
        r"\b(?:begin|start|end|stop)(?: |_|-)*(?:of(?: |_|-)*)?(?:the )?(?:system|admin|hidden"
        r"|secret|new|developer|user|trusted)"
        r"(?: |_|-)*(?:prompt|instructions?|message|input|override|directives?)\b",
        r"\bsystem override\b|\boverride (?:code|mode|protocol)\b|\bprompt injection\b.{0,20}\b"
        r"(?:success|activat|execut)",
        r"(?:忽略|无视|忘记|忘掉|不要理会|不用理会|不要遵守|不再遵守|抛开|放弃|绕过|推翻|作废"
        r"|停止遵守|停止执行|别管|不要管"
        r"|跳过|覆盖|清除|丢掉).{0,12}(?:之前|此前|以前|先前|前面|上面|以上|上述|所有|全部"
        r"|一切|任何|原有|原来|现有|你的|系统|开发者)"
        rf".{{0,10}}{_ORDERS_ZH}",
        r"(?:忽略|无视|忘记|忘掉|清空)(?:掉|了)?.{0,4}(?:之前|此前|上面|以上|上述|前面).{0,4}"
        r"(?:所有|全部|一切|任何).{0,6}(?:内容|对话|话|信息)",
        rf"(?:之前|此前|以前|先前|上述|以上|原有|旧)的?(?:所有|全部|一切)?{_ORDERS_ZH}(?:已经?|都"
        r"|全部|一律|现在|均)*"
        r"(?:作废|失效|无效|取消|撤销|不再有效|被覆盖|不算)",
        # The same in other languages that pages are written in.
        r"\b(?:ignora|ignore|ignorez|ignoriere?n?|olvida|oublie[rz]?|vergiss|vergessen|missachte"
        r"|dimentica|esquec[ae]|desconsidere"
        r"|negeer|zignoruj)\b.{0,40}\b(?:instruccion\w*|instrucoes|instructions|istruzioni"
        r"|anweisung\w*|consignes|regeln|reglas|regles"
        r"|vorgaben|instructies|instrukcj\w*|ordenes)\b",
        r"(?:これまで|以前|上記|前|すべて|全て)の?.{0,8}(?:指示|命令|ルール).{0,6}(?:无视|無視"
        r"|忘れ)",
        r"이전.{0,8}(?:지시|명령|지침).{0,6}(?:무시|잊)",
        r"(?:игнорируй|забудь|игнорировать).{0,30}(?:инструкци|указани|правил)",
    ),
    "persona": (
        r"\byou are (?:now )?(?:going to be |acting as |called |named )?(?:dan\b|do anything now"
        r"|(?:in )?(?:developer|debug|god"
        r"|jailbreak|unrestricted|sudo|admin|maintenance) mode|no longer (?:bound|restricted"
        r"|limited|an? (?:ai|assistant)|required)"
        r"|free of (?:all |any )?(?:rules|restrictions)|an? (?:unrestricted|uncensored|unfiltered"
        r"|jailbroken|amoral|evil))",
        r"\b(?:enter|enable|activate|switch to|unlock|engage)\b.{0,12}\b(?:god|jailbreak|dan"
        r"|unrestricted|do anything now|sudo) mode\b",
        r"\b(?:act|behave|pretend|role-?play|respond|simulate|imagine)\b.{0,40}\b(?:no|without"
        r"|free of|not bound by|any|beyond)"
        r" (?:any |all |ethical |content |moral )*(?:restrictions|rules|limits|filters|guidelines"
        r"|safeguards)\b",
        r"\byour (?:new|real|true|actual|only|primary|secret|next|updated) (?:task|goal|objective"
        r"|instructions?|mission|purpose|role"
        r"|directive|identity|owner|master|user)s? (?:is|are|will be|now|:)",
        r"\b(?:reveal|print|repeat|output|leak|dump|recite|disclose)\b.{0,25}\b(?:system prompt"
        r"|initial instructions|hidden instructions"
        r"|your (?:instructions|prompt|rules|memory|memories))",
        r"你(?:现在|从现在起|将|已经?|接下来)*(?:是|扮演|进入|处于|变成|成为|切换到|叫).{0,10}"
        r"(?:dan\b|开发者模式|调试模式|管理员模式|越狱"
        r"|无限制|不受限制|不受任何|没有限制|没有任何限制|不再受)",
        r"(?:进入|开启|启用|切换到?|解锁|激活).{0,6}(?:越狱|dan|无限制|上帝|不受限)模式",
        r"(?:扮演|假装|假设|想象|模拟).{0,24}(?:没有任何?限制|不受任何?限制|不受约束|无视规则"
        r"|没有规则|没有道德)",
        r"你的?(?:新|真正的?|真实的?|唯一的?|首要|秘密|下一个|最新的?)(?:任务|目标|指令|职责|使命"
        r"|身份|主人|角色)(?:是|为|:|变)",
        r"(?:^|[^会将能可])(?:输出|打印|复述|透露|泄露|公开|告诉我).{0,8}(?:系统提示词?|初始指令|隐藏指令|你的"
        r"(?:指令|提示词|规则|记忆))",
    ),
    "secrecy": (
        r"\b(?:do not|don'?t|never|must not|without|avoid|no need to|refrain from)(?: ever)? "
        r"(?:tell|inform|mention|reveal|notify|alert|show"
        r"|disclos|telling|informing|mentioning|revealing|notifying|alerting|warn|ask|asking"
        r"|let)\w*\b.{0,30}"
        r"\b(?:the |this |your )(?:user|owner|human|operator|account holder)\b",
        r"\b(?:hide|conceal|keep)\b.{0,30}\b(?:from|secret from) (?:the |this |your )(?:user"
        r"|owner|human|operator)\b",
        r"(?:不要|不得|切勿|无需|不必|不用|千万别|别|不能|禁止|避免|请勿).{0,4}(?:告诉|告知"
        r"|提醒|通知|透露给?|让|提及给?|询问|征询|惊动)"
        rf"(?:该|此|你的|这个)?{_USER_ZH}",
        rf"(?:对|向|瞒着|避开|背着)(?:该|此|你的|这个)?{_USER_ZH}(?:保密|隐瞒|知情|执行|进行|操作"
        r"|[，,])",
    ),
    "exfiltration": (
        r"\b(?:send|forward|e?-?mail|post|upload|exfiltrate|transmit|bcc|cc|copy|leak|submit"
        r"|deliver|relay|append)\w*\b.{0,40}"
        r"\b(?:conversations?|chat (?:history|logs?)|passwords?|credentials?|memor(?:y|ies)"
        r"|system prompt|inbox|contacts?|private keys?"
        r"|ssh keys?|(?:all|every|each|any)(?: of)?(?: the| your| their| his| her"
        r"| user'?s?)? ?(?:incoming |new |future |outgoing |private )*"
        r"(?:e?-?mails?|files?|documents?|invoices?|messages?|secrets?|tokens?|api keys?|data)"
        r"|user'?s (?:e?-?mails?|files?|data|secrets?|tokens?|api keys?|address"
        rf"|location))\b.{{0,50}}{_ADDRESS}",
        r"(?:把|将).{0,16}(?:对话|聊天记录|密码|凭证|密钥|记忆|系统提示|通讯录|(?:所有|全部"
        r"|每一?封|每份|用户的?)(?:的)?"
        r"(?:新|来往|私人|重要)?(?:邮件|文件|发票|消息|资料|数据|信息)).{0,16}(?:发送?|转发"
        rf"|上传|抄送|提交|外传|转给|传).{{0,16}}{_ADDRESS}",
        r"(?:发送|转发|上传|抄送|提交|泄露).{0,10}(?:对话|聊天记录|密码|凭证|密钥|记忆"
        r"|系统提示|通讯录|(?:所有|全部|用户的?)(?:的)?"
        rf"(?:邮件|文件|发票|消息|资料|数据|信息)).{{0,16}}{_ADDRESS}",
    ),
    "addressed": (
        r"\b(?:attention|note|message|instructions?|notice|directive|important|urgent|warning"
        r"|dear|hey|hello|reminder|memo|request)s?[:,]? "
        r"(?:to |for )?(?:the |all |any |every |this |you |whatever )?(?:reading "
        rf"|processing )?{_AI_ONLY}\b.{{0,30}}(?:[:,!;-]|must|should|please)",
        rf"\bif you are (?:an? |the )?(?:\w+ )?{_AI}\b",
        r"\b(?:new|updated|important|urgent|special|additional|hidden|secret|priority|admin"
        r"|developer|confidential|further) (?:system )?"
        r"(?:instructions?|directives?|orders?|commands?|prompts?)(?: \w+)? ?(?:for|to) (?:the "
        rf"|all |any )?{_AI}\b",
        rf"\bas (?:an? |the )?{_AI_ONLY}\b.{{0,30}},? you (?:must|should|have to|need to|will"
        r"|are (?:required|obliged))\b",
        rf"\b{_AI_ONLY}(?: reading this| processing this| that reads? this)\b|\b(?:ai|llm"
        r"|assistant) (?:instructions?|directives?|override) ?:",
        r"(?:致|给|通知|注意|写给|提醒|敬告)(?:所有|各位|每个|任何|正在阅读的?|阅读本文的?"
        rf"|处理本文的?|读到这里的?)*{_AI_ZH}(?:们)?的?(?:指令|指示|提示|说明|话|消息)?[:,!]",
        rf"如果你是(?:一个|一名|一款)?{_AI_ZH}",
        r"(?:正在)?(?:阅读|处理|读取|总结|读到)(?:本|此|这)(?:文|页|网页|邮件|文档|段|条"
        rf"|里)?.{{0,6}}的{_AI_ZH}",
        rf"作为(?:一个|一名)?{_AI_ZH}.{{0,12}}你?(?:必须|务必|应当|应该|需要|得)",
        r"(?:系统|管理员|开发者|最高|紧急|隐藏|秘密)(?:级)?(?:指令|提示词|命令|覆盖|指示)[:]",
    ),
    "decode": (
        r"\b(?:decode|decrypt|deobfuscate|unscramble|rot-?13|base64)\b.{0,60}\b(?:and"
        r"|then)\b.{0,20}\b(?:follow|execute|obey|run|comply"
        r"|act on|remember|perform|carry out|do what|do as)\b",
        r"(?:解码|解密|还原|base64).{0,24}(?:然后|并|再|后).{0,20}(?:执行|照做|遵守|遵循|运行"
        r"|记住|按.{0,6}做)",
    ),
}

WIDE: dict[str, tuple[str, ...]] = {
    "claimed": (
        r"(?:^|\n)[ \"'>*]*(?:user|human|owner) ?: ?(?:i|my|please|always|from now)\b",
        r"(?:^|\n)[ “>*]*(?:用户|主人)(?:说|表示|要求)? ?: ?(?:我|以后|今后|请|一律|付款|把)",
        r"\bi,? (?:am )?the (?:\w+ )?(?:user|account owner|account holder|owner of this)\b",
        rf"我(?:就|才)?是{_USER_ZH}(?:本人)?|是这个(?:账号|账户)的主人",
        r"\b(?:confirmed|approved|authori[sz]ed|agreed|permitted)\b.{0,20}\bby "
        rf"{_THE_USER}\b",
        rf"{_USER_ZH}(?:已经?|早已|都已)(?:点头)?(?:同意|确认|批准|授权|认可)",
        r"\byou (?:were|have been|are) (?:already )?told to (?:trust|obey|follow|use|prefer)\b",
        r"你(?:早就|早已|已经?)被(?:告知|要求|指示)要?",
        r"\byour (?:operator|owner|developers?|administrators?|admin) (?:has |have )?(?:just )?"
        r"(?:changed|updated|replaced|rewritten) the (?:rules|policy|settings)\b",
        r"(?:管理员|开发者|运营者|主人)(?:已经?|刚刚?)?(?:改了|更改了|更新了|换了)(?:规矩|规则|设定|策略)",
        r"\bif you have (?:a |any |an? )?(?:long-?term |persistent )?memory\b",
        r"如果你有(?:长期)?记忆",
        r"\bnext time (?:someone|anyone|somebody|they|the user|he or she) asks?\b.{0,40}"
        r"\b(?:the answer is|say|reply|recommend)\b",
        r"下次(?:有人|他|她|用户|主人)问.{0,20}(?:答案|就说|回答|推荐)",
        r"\b(?:store|save|put|file|set)\b.{0,40}\b(?:under|in|into) (?:the |their )?"
        r"(?:user )?preferences\b",
        r"在?(?:用户)?偏好(?:设置)?(?:里|中)(?:存|写|加|记|填)",
        r"(?:以后|往后|今后).{0,24}(?:不用|无需|不必|不要)再?(?:问|确认|请示)",
    ),
    "memory": (
        r"\b(?:remember|memori[sz]e|keep in mind|bear in mind|note|don'?t forget|never forget"
        r"|recall)[,:]?(?: this| the following| well| forever"
        r"| permanently| always)?[,:]? ?(?:that )?you (?:must|should|have to|need to|will|are to"
        r"|are now|always|never|shall|ought)\b",
        r"\b(?:remember|memori[sz]e|keep in mind|note|never forget|record|learn"
        rf"|know)\b[,:]?.{{0,14}}\b{_THE_USER}\b",
        r"\b(?:remember|memori[sz]e|record|note|keep|store)\b.{0,60}\b(?:for|in|across"
        r"|during) (?:all |every |any |each )?(?:the )?"
        r"(?:future|later|subsequent|upcoming|next|following)(?: \w+)? (?:conversations?"
        r"|sessions?|chats?|interactions?|requests?|repl\w+"
        r"|responses?|messages?|turns?|prompts?)",
        r"\b(?:add|save|store|write|commit|put|record|append|insert|persist|log|update|keep|enter"
        r"|file)\w*\b.{0,80}\b(?:in|to|into|as|within|with)"
        r" (?:your |the assistant'?s |the agent'?s |its |this agent'?s )(?:\w+[ -]){0,2}"
        r"(?:memor(?:y|ies)|user profile|knowledge base|preferences|core rules?)"
        r"(?:[.,;:!\"')\]}]| (?:and|that|so|for|as|file|store|now|immediately|permanently|forever"
        r"|under|with|about|of|right)\b|$)",
        r"\b(?:add|save|store|write|commit|put|record|append|insert|update)\w*\b.{0,80}\b"
        r"(?:memory\.md|user\.md|soul\.md|agents\.md|claude\.md"
        r"|user'?s? (?:profile|preferences)|long-term memory (?:that|:|of this|about))",
        r"\b(?:call|use|invoke|run|trigger)\b.{0,16}\b(?:remember|memory_?write|save_?memory"
        r"|update_?memory|add_?memory|memory tool|bio tool)\b",
        rf"(?:记住|记下|牢记|谨记|铭记|记好|别忘了?|不要忘记)[,: 了]{{0,2}}(?:你|您|{_AI_ZH}|"
        rf"(?:该|此|本|这个|这位|当前)?{_USER_ZH})(?:必须|务必|要|应该|应当|需要|以后|今后"
        r"|永远|始终|一律|只能|不能|不得|每次|的|是|已|想|喜欢|希望|偏好|授权|同意|住|在|会|都"
        r"|得)",
        r"(?:记住|记下|牢记|谨记)[,: ]{0,2}(?:以后|今后|从现在|从今|永远|始终|一律"
        rf"|每次).{{0,12}}(?:回复|回答|答复|推荐|转发|发送|执行|称呼|告诉|{_USER_ZH})",
        r"(?:写入|写进|存入|存进|保存到|保存进|记到|记入|加入|加到|加进|添加到|更新到|放进|录入"
        rf"|存到|纳入).{{0,6}}(?:你的?|长期|永久|助手的?|{_USER_ZH}的?)*"
        r"(?:记忆|画像|偏好|档案|memory\.md|user\.md)",
        r"(?:调用|使用).{0,6}(?:remember|记忆工具|记忆接口|保存记忆)",
        # The same in other languages.
        r"\brecuerda que (?:debes|tienes que|el usuario|siempre)\b|\bsouviens-toi que (?:tu"
        r"|l'utilisateur)\b|\bmerke? dir,? dass (?:du|der (?:be)?nutzer)\b"
        r"|覚えて.{0,12}(?:必ず|ユーザー|常に)|запомни.{0,12}(?:ты|пользователь)",
    ),
    "standing": (
        r"\b(?:from now on|from this (?:point|moment)(?: on| onwards?| forward)?|going forward"
        r"|henceforth|from here on(?: out)?|starting (?:now|today)"
        r"|as of (?:now|today)|in (?:all |every |any )?(?:future|subsequent|later) "
        r"(?:conversations?|sessions?|chats?|replies|responses|answers|messages"
        r"|interactions)|for the rest of (?:this|the) (?:conversation|session"
        rf"|chat))\b.{{0,30}}\b(?:you(?:r|'ll| will| must| should| are| shall)?\b|{_AI_ONLY}\b|"
        rf"(?:always |never |only |must )?{_REPLYING}\b)",
        rf"\b(?:you|{_AI_ONLY}) (?:must|should|will|shall|are to|have to|need to) (?:always|never"
        rf"|only|now|from now on|henceforth|permanently)\b.{{0,40}}\b(?:{_REPLYING}"
        r"|user|run|execute|send|call|use the|tool|tell|say|include|ask|confirm|question|doubt"
        r"|contradict|believe)\b",
        rf"\b(?:always|never|must|only)\b.{{0,16}}\b{_REPLYING}\b.{{0,60}}(?:\b{_THE_USER}\b"
        r"|\bwhen(?:ever)? asked\b|\bin (?:your|every|all|each) (?:repl|response|answer|message"
        r"|output)"
        r"|\bregardless of\b|\bno matter what\b)",
        rf"\b(?:whenever|every time|each time|any ?time|if|when|once|next time) {_THE_USER} "
        r"(?:ask|say|mention|want|talk|inquire|discuss|speak|request|bring)\w*\b.{0,80}"
        r"\b(?:you (?:must|should|will|always|can)|repl(?:y|ies)|respond|recommend|tell (?:them"
        r"|him|her|the user)|say that|answer|always|never|instead)\b",
        r"(?:以后|今后|从现在起|从现在开始|从今以后|从今天起|从此以后|从此|往后|自此|即日起"
        r"|今后所有|所有后续|接下来的?(?:所有|每次)).{0,10}(?:你(?:要|必须|只|都|就|应|需|得"
        r"|务必|将|不|的|来|在)"
        rf"|您?必须|{_AI_ZH}|(?:都要?|一律|必须|始终|永远|只|每次)?.{{0,4}}(?:回复|回答|答复|推荐"
        rf"|转发|抄送|自动执行|称呼{_USER_ZH}|听从|服从))",
        rf"(?:以后|今后|从此|往后)(?:都要|一律|必须|始终|永远).{{0,16}}(?:{_USER_ZH}|工具|指令"
        r"|命令|密码|转账|授权|确认|邮件)",
        rf"(?:当|每当|只要|如果|一旦|每次|下次|凡是)(?:该|此|你的|这个)?{_USER_ZH}.{{0,14}}(?:问"
        r"|提到|提及|说起|说到|要求|询问|聊到|让你|搜索).{0,30}(?:你(?:都|就|要|必须|应)|就?"
        r"(?:必须|一律|务必|回复|回答|推荐|告诉|执行|调用|转发))",
        r"\b(?:a partir de ahora|a partir d'ora|a partir de agora|ab (?:jetzt|sofort)"
        r"|a partir de maintenant|desormais|vanaf nu)\b.{0,30}\b(?:debes|siempre|devi|sempre|voce"
        r"|musst|sollst"
        r"|wirst|immer|tu|vous|je moet|altijd)\b|今後は?.{0,8}(?:必ず|常に|いつも)|앞으로.{0,8}"
        r"(?:항상|반드시)|отныне.{0,12}(?:ты|всегда)",
    ),
    "claim": (
        rf"\b{_THE_USER}(?:'s)? (?:strongly |really |always |clearly |explicitly |now |generally "
        r"|also |already )*(?:prefers?|insists|wants you|would like you|expects you"
        r"|needs you|asks you|asked you|told you|instructed|instructs|trusts|authori[sz]e[sd]"
        r"|consents|approves of|pre-?approved|wishes|is happy (?:for|with)|preference is"
        r"|standing (?:order|wish|instruction))\b",
        rf"\b{_THE_USER} (?:has|have|had) (?:\w+ ){{0,2}}(?:authori[sz]ed|approved|consented"
        r"|granted|permitted|allowed|agreed|asked|instructed|requested|confirmed|ordered"
        r"|delegated"
        r"|given|waived|decided|chosen|opted)\b",
        r"\buser'?s?[ _-]?(?:preference|instruction|wish|standing[ _-]order|memory)(?:s"
        r"|es)?[\"']? ?[:=]",
        r"\bon behalf of (?:the|this|your) user\b|\bspeaking (?:as|for) the user\b|\bi am (?:the"
        r"|your) (?:user|owner|developer|administrator|creator)\b",
        rf"(?:^|[。！？!?:,;\n\"“>「】\]-]) ?(?:该|此|本|这个|这位|你的|当前)?{_USER_ZH}"
        r"(?:本人)?(?:已经?|曾|明确|一直|始终|都|更|现在|刚刚|早就|事先|永久|最|非常|特别|总是)*"
        r"(?:授权|同意|批准|允许|许可|确认过|要求你|希望你|让你|想让你|委托|指示|偏好|喜欢|更喜欢"
        r"|讨厌|倾向|信任|想要|的(?:偏好|愿望|要求|习惯)(?:是|为|:))",
        rf"(?:该|此|本|这个|这位|你的|当前){_USER_ZH}.{{0,6}}(?:授权|同意|批准|允许|要求你|希望你"
        r"|让你|偏好|喜欢|讨厌|信任)",
        rf"{_USER_ZH}(?:偏好|指令|记忆|要求|愿望)[\"”]? ?[:=]|(?:代表|代){_USER_ZH}(?:本人)?|我"
        r"(?:就)?是(?:你的)?(?:主人|用户本人|开发者|管理员|系统管理员)",
        rf"{_USER_ZH}(?:本人)?(?:已|已经|曾|明确|事先|口头|书面)+(?:地)?(?:授权|同意|批准|允许"
        r"|许可|委托)",
    ),
    "permission": (
        rf"\b(?:you|{_AI_ONLY}|this (?:tool|agent|session|assistant)) (?:are|is|have|has)(?: now"
        r"| hereby| been| fully| already| pre)*[ -](?:authori[sz]ed|allowed|permitted|granted"
        r"|cleared|approved|entitled"
        r"|given|free)\b.{0,80}\b(?:tools?|shell|commands?|sudo|root|admin|delete|transfer"
        r"|payments?|purchases?|credentials?|passwords?|api|execute|without (?:asking"
        r"|confirmation|approval|permission|further|any)"
        r"|all (?:files|actions|requests|permissions|access)|full access|unrestricted)\b",
        r"\b(?:grant|give|allow|enable)\w*\b.{0,30}\b(?:full|unrestricted|admin|root|tool"
        r"|shell|unlimited|all|complete)\b.{0,20}\b(?:access|permissions?|privileges?"
        rf"|rights)\b.{{0,30}}\b{_AI_ONLY}\b",
        r"\b(?:run|execute|send|transfer|delete|pay|purchase|buy|approve|call|forward|proceed|act"
        r"|install|wire|accept|confirm)\w*\b.{0,60}\b(?:without|no|skip(?:ping)?|don'?t (?:need"
        r"|wait for|ask for))"
        r" (?:asking|waiting|needing|further|any|user|prior|the|for|explicit|additional|need for"
        r"|requiring)?(?: user| for| the| any| human)? ?(?:confirmation|approval|permission"
        r"|consent|authori[sz]ation|asking|prompting|verification)\b",
        r"\b(?:confirmation|approval|permission|consent)s? (?:is|are) (?:not|no longer|never) "
        r"(?:required|needed|necessary)\b",
        r"(?:无需|不用|不必|不需要|跳过|免去|不再需要|取消|绕过).{0,8}(?:确认|批准|授权|询问|征求"
        r"|同意|审核|许可).{0,16}(?:执行|运行|调用|发送|转账|付款|支付|删除|访问|转发|操作|下单"
        r"|购买|安装)",
        r"(?:执行|运行|调用|发送|转账|付款|支付|删除|访问|转发|操作|下单|购买|安装).{0,16}(?:无需"
        r"|不用|不必|不需要|不要|跳过|不再).{0,6}(?:确认|批准|授权|询问|征求|同意|审核|许可)",
        rf"(?:你|您|{_AI_ZH}|本工具|该工具)(?:现在|已经?|均|都|被|将|特此)*(?:获得|被授予|被授权"
        r"|已授权|授权|拥有|有权|获准|被允许).{0,16}(?:执行|运行|调用|转账|付款|支付|删除|访问"
        r"|读取|转发|工具|命令|权限|操作|下单)",
        rf"(?:授予|赋予|授权|开放给|给予)(?:你|您|该|本|此|这个)?{_AI_ZH}?.{{0,10}}(?:全部|所有"
        r"|完全|管理员|最高|工具|root|一切).{0,6}(?:权限|访问权|权利)",
    ),
}

MARKERS = (
    r"<\|[^|<>\n]{1,40}\|>|\[/?inst\]|<</?sys>>|</?(?:system|assistant|developer|system[_ -]?"
    r"(?:prompt|message|instructions?)|im_start|im_end"
    r"|function_calls?|tool_calls?|instructions?|memory|memories|user_preferences?)>"
    r"|\[(?:system|end of related memories|related memories|about the user|recent context"
    r"|user message|系统|相关记忆(?:结束)?|用户画像|近期上下文|用户消息)[^\[\]\n]{0,20}\]"
    r"|\"role\" ?: ?\"(?:system|developer)\""
    r"|(?:^|\n)[ #>*\[(_-]*(?:system|developer|admin)(?: (?:prompt|message|note|override"
    r"|instructions?|notice|update|alert))?[\])*_]* ?: ?.{0,80}\b(?:you|your|must|always|never"
    r"|ignore|remember"
    r"|assistant|user|instructions?|from now)\b"
    r"|(?:^|\n)[ #>*\[(_-]*(?:系统|管理员|开发者)(?:提示词?|消息|通知|指令"
    r"|更新)?[\])*_]* ?: ?.{0,40}(?:你|必须|务必|忽略|记住|助手|用户|指令|以后|从现在)"
    r"|(?:^|\n)[ #>*-]*(?:end of (?:document|page|context|data|memories|tool output)|文档结束"
    r"|记忆结束|以上是数据|工具输出结束)[ .:。=#-]*(?:\n|$)"
)
"""What pretends to be a mark of a conversation: tokens of models, headings of ours, roles."""

RUN_TOGETHER = (
    r"(?:ignore|disregard|forget)(?:all|any|the|your|my|of|every)*(?:previous|prior|above"
    r"|earlier)(?:instruction|prompt|rule|message)"
    r"|(?:remember|notethat)(?:that)?you(?:must|should|always|never|haveto)|fromnowon(?:you"
    r"|always|never)|theuser(?:has)?(?:prefer|authori[sz]|want|approv)"
    r"|youarenow(?:dan|in|free|unrestricted)|systemprompt|donottelltheuser|savethistoyourmemory"
    r"|addtoyourmemory"
)
"""The plainest of them with all blanks and marks gone: letters that were set apart."""
