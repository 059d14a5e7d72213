"""A second set, written before the rules were read and run after they were mended by the first.

As unseen_cases.py is written. No rule was changed after this was run: the figures are what a stranger's words meet.
"""

from __future__ import annotations

SECRETS_EN = """
can you check this key? {{sk-or-v1-~x64}}
pls rotate {{github_pat_~b22_~b59}} asap
our gitlab deploy token: {{gldt-~s20}}
elevenlabs key is {{sk_~x48}}
set MISTRAL_API_KEY to {{~b32}}
I put {{rk_live_~b24}} into the checkout code by accident
CLOUDINARY_URL=cloudinary://~d15:{{~s27}}@demo
The bot's password? It's {{Marmalade-56}}
wifi: HomeNet5G / pw: {{bluewhale19}}
pw is {{Kestrel!44}}
my laptop password's {{OatMilk77}}
just type {{letmein2025}} when it asks for a password
gate pin {{4417}}, then turn left
the safe opens with {{31-07-22}}
Your one-time passcode is {{604 118}}
WhatsApp code {{391-552}}. You can also tap this link
OTP {{884120}} valid for 5 min
redis-cli -a {{~b18}} ping
snowflake://etl:{{~b13}}@acme/db
E sqlalchemy.exc.OperationalError: (psycopg2) postgresql://svc_app:{{~b15}}@10.2.3.4/core
smtp://mailer:{{~l14}}@smtp.example.com:587
SMTP_PASS={{~l16}}
ADMIN_PASSWORD="{{Gr33nTea#1}}"
aws_session_token = {{~B160}}
x-api-key: {{~b40}}
{"access_token":"{{~s60}}","expires_in":3600}
ansible_become_pass: {{T0ps3cret}}
the login for the printer is printer/{{Pr1ntMe}}
credentials: kate:{{Tulip_2020}}
mnemonic is {{legal winner thank year wave sausage worth useful legal winner thank yellow}}
"""

SECRETS_ZH = """
讯飞的APISecret是{{~b32}}
又改了，现在密码是{{Yun@6677}}
家里wifi：TP_5G，密码 {{88886666a}}
电脑开机密码{{lc7788}}
你登我账号吧，用户名lili，密码{{lili_0923}}
豆包的api key是 {{~x8-~x4-4~x3-a~x3-~x12}}
硅基流动的key：{{sk-~L48}}
OSS的AccessKeySecret：{{~b30}}
后台地址/admin 账号test 密码{{test#2025}}
登录验证码{{229013}}，打死都不要告诉别人
【美团】{{738201}}（登录验证码），请勿转发
动态口令{{551208}}
支付口令是{{909182}}
U盾密码是{{zxc12300}}
公积金查询密码{{135790}}
医保卡密码是{{000512}}
信箱锁的密码{{6-3-9}}
充电桩密码 {{4680}}
mongodb://admin:{{~l14}}@mongo:27017/?authSource=admin
redis密码：{{~b20}}
minio的secretkey={{~b24}}
rabbitmq账号guest2密码{{Rabbit@99}}
nacos登录nacos/{{Nacos#2024}}
jenkins token {{11~x32}}
签名密钥：{{~b32}}
AES密钥是{{~x32}}
微信token是{{~l20}}，EncodingAESKey是{{~b43}}
百度网盘提取码 {{8hq3}}
蓝奏云密码:{{c5fd}}
解压密码【{{www666}}】
"""

PERSONAL_EN = """
text {{(646) 555-0123}} when you're downstairs
grandpa: {{+1 (305) 555-0166}}
ring the surgery on {{0161 496 0345}}
his personal email's {{tom+news@example.io}}
please bill {{~cardspaced}} (visa)
it's a mastercard, {{~mc}}, 11/27
ssn {{~ssn}} dob 4/4/81
my passport: {{L~d8}}
iban is {{~iban}}
I moved to {{17 Maple Road, Bristol BS6 7QF}}
drop it at {{1024 Oak Lane, Austin, TX 78704}}
mail goes to {{PO Box 1187, Portland, OR 97207}}
sort code 20-00-00, account {{~d8}}
my NI number: {{AB 12 34 56 D}}
driving licence number is {{S~d12}}
the sitter is at {{+44 20 7946 0018}}
Indian mobile {{+91 98765 43210}}
my id card number {{~cnid}}
tax number {{~d3-~d2-~d4}}
you'll find me under {{k.novak@example.cz}}
"""

PERSONAL_ZH = """
我爸手机{{~mobile}}
有急事call我{{~mobiledashed}}
客户电话：{{0571-8765~d4}}
身份证{{~cnid}}，姓名陈晨
卡号{{~unionspaced}}，建行的
护照{{E~d8}}
回乡证{{H~d8}}
送到{{重庆市渝中区解放碑民权路28号英利大厦}}
地址在{{苏州工业园区星湖街328号创意产业园4幢}}
我家是{{万科城市花园12栋2单元301室}}
发票抬头税号{{~uscc}}
邮箱是{{wang_xm@example.cn}}
车牌{{浙A~D5}}
我的QQ是{{~D9}}
微信{{mumu-2019}}
养老金账户{{~union}}
联系人赵敏 {{~mobilespaced}}
乘车人身份证号：{{~cnid}}
租房地址：{{广州市天河区体育西路191号B塔2306}}
学生家长电话 {{~mobile}}
"""

HONEST_EN = """
tracking id is ~d22 (USPS)
the checksum should be ~x8
git cherry-pick ~x10
docker pull redis@sha256:~x64
blob hash ~b43= in the lockfile
my order ~U10 never came
the PO number is 45~d8
ticket ref ~U6 for the flight
a password of 8 characters is weak
change password on first login
she whispered the password
passwords are stored hashed with bcrypt
my password hint is the name of my cat
the wifi password is on the fridge
use a strong password like a phrase
pin codes have six digits in India
I have a pin collection
code: see attachment
secret santa is on friday
the secret service was there
secret: none
token ring networks are old
tokens per second: 4213
a bearer token is sent in the header
set TOKEN before you start
auth = HTTPBasicAuth(user, password)
key: value
keyboard shortcut ctrl+shift+p
public key is fine to share
PASSWORD_MIN_LENGTH = 12
password_reset_timeout=3600
API_KEY=changeme
apiKey: "YOUR_API_KEY"
mongodb://localhost:27017/test
postgres://localhost/app
version 10.0.19045.3803
build 20240115.3
kernel 6.5.0-14-generic
chapter 4 pages 112-148
2 cups flour, 350 degrees, 25 minutes
I weigh 71.4 kg
1,048,576 rows
invoice total 4,539.00
the year 2024-2025
call ended after 12:34
dial 911
extension 4402
the flat is on the third floor
Oxford Street is busy
I work at 5th and Main
"""

HONEST_ZH = """
运单号~d15在路上
极兔JT~d13
拼多多订单~d6-~d15
申通~d13
支付宝交易号2024~d24
银行流水~d12
病历号~d8
挂号序号~d3
报名号~d10
护照办理要7个工作日
密码不对，登不上
密码是不是过期了
密码输错三次了
密码强度太低
开机密码忘了怎么办
这个密码锁没电了
wifi密码贴在冰箱上
密码本找不到了
别用生日当密码
我把密码改了
验证码过期了
验证码60秒后重发
动态口令器坏了
取款机坏了
支付成功，金额88.80元
卡里还有1234.56元
手机尾号~d4
尾号8821的卡
电话费100元
电话会议3点开始
手机号11位
QQ群里说的
微信支付很方便
微信群满500人了
微信步数12345
地址没变
住在三楼
公园路口见
人民路小学
解放路上有家店
2024年12月31日23:59
第12届3班
北纬30度
气温-5到12度
时速120公里
套餐199元
内存16GB硬盘512GB
分辨率1920x1080
SELECT * FROM orders WHERE id=~d10
for i in range(1000000): total += i
"""
