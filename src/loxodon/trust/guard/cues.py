"""The words by which people tell secrets: what a secret is called, and what is done with it.

Data for `tagging.py`, which weighs the words of a text that has one of these, and for `signs.py`:
nothing is imported here, so that a cold command may look at them. `policy.py` makes rules of them.
"""

from __future__ import annotations

MAYBE = "possible-secret"
"""What may be a secret or not: kept as it was said, and masked when shown."""
USUAL = "password"
"""What a secret is called where no word says."""

NAMES: dict[str, str] = {
    "password": "password passwords passwrd pasword passwort passwd pass passphrase passphrases pwd pwds pw pws psw psswd "
    "kennwort contraseña contrasena mdp senha пароль пароля パスワード パスコード 비밀번호 비번 passcode passcodes watchword "
    "login logins logon credential credentials creds wifi wi-fi wlan ssid wpa wpa2 hotspot 密码 密碼 蜜码 秘码 密马 口令 暗号 暗號 "
    "登录 登陆 登入 登上 账号 帐号 账户 帐户 账密 无线 热点 暗语 通行词 sudo memorable pattern unlock unlocks 助记词 助記詞 seed mnemonic "
    "賬號 帳號 認證 解鎖 登錄 prompt prompts prompted ssh mysql postgres netflix insta guest 填 敲 输 輸 键入 揿 撳 拨 拧 密語 转盘 轉盤 十二个",
    "pin": "pin pins puk puk2 pin码 取款 支付密码",
    "card-code": "cvv cvv2 cvc cvc2 cvn cvn2 安全码 安全碼 背面三位 后三位 末三位 卡背",
    "door-code": "combo combos combination combinations keypad padlock locker lockbox keybox keysafe buzzer punch dial keycode intercom 门禁 门锁 密码锁 智能锁 "
    "指纹锁 车锁 挂锁 保险柜 保险箱 密码箱 撤防 布防 开锁 解锁 锁屏 储物柜 更衣柜",
    "one-time-code": "otp 2fa mfa totp authenticator screentime 验证码 校验码 动态码 驗證碼 认证码 确认码 激活码 短信码 验证",
    "security-answer": "密保 安全问题 答案 你就答 你就说 老师是谁 security recovery favourite favorite maiden",
    "access-code": "code codes key keys secret 提取码 取件码 邀请码 兑换码 备份码 恢复码 访问码 进门码 码 碼",
}
"""What a secret is called, by its kind."""
VERBS = (
    "enter entering entered type types typing typed punch punching punched dial dials dialling dialing press pressing "
    "tap tapping input key-in keyed unlock unlocks unlocking unlocked open opens opening opened disarm disarms buzz buzzes "
    "log logs logging logged sign signs signing signed lets let gets get getting use using try reset spell spelled spelt "
    "spells say join joins connect connects put answer answered wants asks prompts line goes drag draw 输入 输 键入 按 拨 摁 敲 填 进 开 登 连 连上 用 试 报 念 说 打 转 拧 對 对到 撳 答 划 滑 选 設 设 改"
)
"""What is done with one."""
THINGS = (
    "door doors gate gates garage alarm safe safes locker lock locks shed building lobby entrance entry elevator lift vault "
    "suitcase luggage cabin intercom house flat apartment office room airbnb mailbox phone tablet ipad iphone laptop "
    "computer screen sim voicemail card debit atm tv router network server nas vpn account accounts portal netflix bank "
    "printer box console panel admin archive zip pdf zoom meeting bike wallet cabinet drawer storage mac macbook app site gmail spotify ssh cabin unit keysafe car truck "
    "门 锁 柜 箱 车库 单元 大门 房门 院门 闸机 电梯 手机 平板 电脑 屏幕 开机 网 路由 服务器 后台 邮箱 卡 存折 会议 系统 网盘 压缩包 相册 钱包"
)
"""What they open."""
USERS = "user username userid account email e-mail mail admin root id handle login nickname 用户名 用户 账号 帐号 账户 工号 学号 邮箱 昵称"
"""Who is let in."""


OTHERS = (
    "error ref reference order room model version tag flight gate bus course area zip postcode extension ext invoice ticket booking "
    "tracking parcel serial number platform seat train page chapter line port build commit branch price cost dollars pounds euros "
    "percent km miles minutes hours seconds grams score points year population street avenue unit case report item size batch "
    "dress promo coupon discount morse source qr bar country dialling colour color hex ip isbn phone tel call chip part plate "
    "monitor printer camera lens road highway route class grade floor lot bug issue pr release id "
    "单号 订单 型号 版本 航班 房间 课程 编号 号码 班次 学号 工号 价格 块 元 斤 米 度 公里 分钟 小时 报错 错误 车次 座位 楼 层 室 页 章 行 "
    "端口 尾号 车牌 邮编 区号 电话 快递 优惠 折扣 颜色 分 岁 年 月 日 号 股票 代码 编程 源码 二维码 条形码 摩斯 提交 分支 工单 案号 货号 批次"
)
"""What other numbers and names are called."""

_DIGIT = r"(?:zero|oh|one|two|three|four|five|six|seven|eight|nine|double)"
ODD_ASCII = {
    "0123456789": r"[0-9]{3}|[a-z][0-9]|[0-9][a-z]|[0-9][- ][0-9]|[a-z][-_.&!@][0-9]|[0-9] then",
    "_&!@$%^+": r"[a-z][_&!@$%^+][a-z]",
    "-": r"[a-z]-[a-z]{1,16}-[a-z]",
    "": rf"\b{_DIGIT},? {_DIGIT}\b|[a-z]{{14}}",
}
"""What a secret often looks like in Latin letters, by characters of which it has one."""
ODD_HAN = r"[零〇一幺二两三四五六七八九]{3}|[0-9]、[0-9]|[一-鿿，：“][a-z]{7}"
ODD = "|".join((*ODD_ASCII.values(), ODD_HAN))
"""What a secret often looks like."""
