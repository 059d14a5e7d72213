"""A set that was written without a look at the rules: as people type into a chat.

`{{…}}` is what must not get through, `⏎` a new line, and `~` draws something: `~b36` thirty-six letters
and digits, `~x` hexadecimal, `~d` digits, `~U` capitals and digits, `~l` small letters and digits, `~s` base64 for
addresses; `~mobile`, `~card`, `~cnid`, `~uscc` numbers that check. Nothing here ever opened anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits
from typing import NamedTuple

SECRETS_EN = """
here's the github token for CI: {{ghp_~b36}} please dont lose it
ok i pasted my openai key in the config, {{sk-proj-~b20T3BlbkFJ~b20}}, does that look right?
export ANTHROPIC_API_KEY={{sk-ant-api03-~s93AA}}
use AKIA~I16 with {{~b40}} as the aws secret access key
AWS_SECRET_ACCESS_KEY={{~b40}}⏎AWS_REGION=eu-west-1
slack bot is {{xoxb-~d11-~d12-~b24}}, invite it to #general
the webhook is https://hooks.slack.com/services/T~U8/B~U10/{{~b24}}
STRIPE_SECRET_KEY={{sk_live_~b24}}⏎STRIPE_PUBLISHABLE_KEY=pk_live_~b24
my google maps key {{AIza~s35}} keeps returning 403
sendgrid: {{SG.~s22.~s43}}
the twilio auth token is {{~x32}} and the account sid is AC~x32
telegram bot token from botfather: {{~d10:AA~s33}}
Use this token to access the HTTP API: {{~d9:AAH~s32}}
discord token: {{M~b23.G~b5.~s38}}
npm publish fails, I use {{npm_~b36}}
pypi token {{pypi-AgEIcHlwaS5vcmc~s120}}
HF_TOKEN={{hf_~b34}}
glpat for the runner: {{glpat-~s20}}
digitalocean token = {{dop_v1_~x64}}
heroku api key: {{~x8-~x4-4~x3-a~x3-~x12}}
The password for the staging box is {{Tr0ub4dor&3}}
btw my wifi password is {{sunflower42}}, guests can use it
root password: {{hunter2!}}
login is admin / {{Welcome2024!}}
user: deploy pass: {{x9Kq!2mZ}}
you can ssh with bob and the password {{Spring-Rain-77}}
my gmail password is {{ilovemydog99}} can you check why it does not work
The PIN for my debit card is {{4821}}
door code at the airbnb is {{7394#}}
my phone passcode is {{250391}}
I set the master password of Bitwarden to {{correct horse battery staple}}
the alarm code is {{5580}} if you get there first
your verification code is {{482913}}. It expires in 10 minutes.
G-{{593021}} is your Google verification code.
{{774201}} is your Instagram login code. Don't share it.
Use {{118 264}} to sign in to your Microsoft account
my 2FA backup codes: {{~d4 ~d4}}
DATABASE_URL=postgres://app:{{~b16}}@db.internal:5432/prod
mongodb+srv://reporting:{{~b14}}@cluster0.ab1cd.mongodb.net/stats?retryWrites=true
2026-02-03 10:22:11 ERROR could not connect to redis://:{{~b20}}@cache:6379/0
mysql -h 10.0.0.5 -u root -p{{S3cr3tPa55}}
curl -u jenkins:{{~b16}} https://ci.example.com/job/build
curl -H "Authorization: Bearer {{~b48}}" https://api.example.com/v1/me
Authorization: Basic {{~b28==}}
git clone https://oauth2:{{~b20}}@git.example.com/team/app.git
amqp://svc:{{~b12}}@rabbit:5672/%2f
the jdbc url is jdbc:postgresql://db:5432/app?user=app&password={{~b12}}
Server=tcp:db.example.net;Database=app;User ID=sa;Password={{P@ssw0rd~d2}};Encrypt=True
DefaultEndpointsProtocol=https;AccountName=media;AccountKey={{~b86==}};EndpointSuffix=core.windows.net
-----BEGIN RSA PRIVATE KEY-----⏎{{~B64⏎~B64}}⏎-----END RSA PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----⏎{{b3BlbnNzaC1rZXktdjEAAAAA~B48}}⏎~B40⏎-----END OPENSSH PRIVATE KEY-----
the jwt is {{eyJhbGciOiJIUzI1NiJ9.eyJ~s40.~s43}}
cookie: sessionid={{~l32}}; csrftoken=~b32
Set-Cookie: connect.sid={{s%3A~b32.~b43}}; Path=/; HttpOnly
SECRET_KEY = '{{django-insecure-~l50}}'
JWT_SECRET={{~b32}}
"client_secret": "{{GOCSPX-~s28}}"
client_id=~d12 client_secret={{~b40}}
azure client secret is {{~b3Q~~~b34}}
"private_key_id": "~x40", "private_key": "-----BEGIN PRIVATE KEY-----\\n{{MII~B60}}\\n-----END PRIVATE KEY-----\\n"
DATADOG_API_KEY: {{~x32}}
sentry dsn https://{{~x32}}@o~d6.ingest.sentry.io/~d7
mailgun key-{{~x32}}
mailchimp api key {{~x32-us14}}
cloudflare token: {{~s40}}
shopify: {{shpat_~x32}}
figma personal token {{figd_~s40}}
notion integration secret {{secret_~b43}}
linear key {{lin_api_~b40}}
airtable pat {{pat~b14.~x64}}
groq: {{gsk_~b52}}
perplexity key pplx is {{pplx-~b48}}
replicate token {{r8_~b37}}
export DEEPSEEK_API_KEY="{{sk-~x32}}"
vault token {{hvs.~s90}}
terraform cloud: {{~b14.atlasv1.~b67}}
docker login -u me -p {{dckr_pat_~s27}}
postman {{PMAK-~x24-~x34}}
new relic licence {{~x36NRAL}}
square access token {{EAAA~s60}}
okta api token is {{00~s40}}
dropbox {{sl.B~s130}}
doppler {{dp.pt.~b43}}
supabase service role {{sbp_~x40}}
password reset: my new one is {{Blue.Kettle.1987}}
I changed my password to {{qwerty12345}} yesterday
The recovery phrase is {{ripple cabin tomato drift velvet marble sunset orbit pencil canyon lobster winter}}
seed phrase: {{abandon ability able about above absent absorb abstract absurd abuse access accident}}
private key of the wallet: {{0x~x64}}
WIREGUARD PrivateKey = {{~B43=}}
{"username": "svc_app", "password": "{{~b14}}"}
sudo password on the nas = {{Raspb3rry}}
sshpass -p {{'M0nd4y!'}} ssh root@10.1.1.4
PGPASSWORD={{~l12}} psql -h localhost
netflix login: sam@example.org {{moviesnight8}}
the zip's password is {{invoice-2291}}
ftp://backup:{{~l10}}@files.example.net/daily
"""

SECRETS_ZH = """
我的github token是{{ghp_~b36}}，你帮我配一下
OpenAI的key给你：{{sk-proj-~b20T3BlbkFJ~b20}}
通义千问的API Key：{{sk-~x32}}
deepseek 的密钥是 {{sk-~x32}}，别外传
阿里云AccessKey ID是LTAI5t~b18，Secret是{{~b30}}
腾讯云 SecretId: AKID~b32 SecretKey: {{~b32}}
百度千帆的secret key是{{~b32}}
微信小程序AppSecret：{{~x32}}
公众号的appsecret是{{~x32}}，appid是wx~x16
钉钉机器人 https://oapi.dingtalk.com/robot/send?access_token={{~x64}}
企业微信机器人的地址 https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={{~x8-~x4-4~x3-a~x3-~x12}}
飞书机器人webhook：https://open.feishu.cn/open-apis/bot/v2/hook/{{~x8-~x4-4~x3-a~x3-~x12}}
钉钉加签密钥 {{SEC~x64}}
支付宝私钥：{{MIIEvQIBADANBgkqhkiG9w0BAQEFAASC~B200}}
我家wifi密码是{{xiaoming2020}}，你来的时候连一下
密码{{Abc@12345}}，登上去看看
服务器账号root密码{{Qwer!1234}}
账号：zhangsan 密码：{{zs880808}}
账号admin，密码{{admin@888}}
数据库密码改成了{{Db_2024#prod}}
我的QQ密码是{{woaini1314}}
邮箱密码忘了，好像是{{lihua1990}}
支付密码是{{138264}}，千万别告诉别人
银行卡密码{{520131}}
取款密码是 {{771902}}
我银行卡的密码：{{660218}}，帮我记一下
门锁密码是{{2580#}}
小区门禁密码{{1357}}，到了直接进
行李箱密码{{369}}
手机锁屏密码是{{0912}}
保险柜的密码是{{48-22-91}}
【支付宝】验证码{{482913}}，您正在登录，请勿泄露
【淘宝】您的验证码是：{{339201}}，5分钟内有效
验证码：{{5529}}
刚收到的短信验证码是{{903812}}
您的动态密码为{{771822}}，请在页面中输入
校验码 {{662910}}，工作人员不会向您索取
快递柜取件码{{83920174}}
丰巢取件码是 {{61029384}}
数据库连接是 mysql://root:{{~l12}}@192.168.1.10:3306/shop
连不上redis，配置是redis://:{{~b16}}@10.0.0.3:6379/1
日志里报错：Access denied, url=postgresql://app:{{~b14}}@pg.internal/app
spring.datasource.password={{~b12}}
.env里写的是⏎DB_USER=app⏎DB_PASSWORD={{~b14}}⏎DB_HOST=localhost
配置文件：password: "{{Hello#2023}}"
application.yml⏎  redis:⏎    password: {{~b16}}
sudo密码{{123qwe}}
ssh登录 ubuntu@1.2.3.4 密码是{{Ubuntu~d4}}
mysql -uroot -p{{Root1234}}
curl -H "Authorization: Bearer {{~b40}}" 返回401
请求头是 Authorization: Bearer {{eyJhbGciOiJIUzI1NiJ9.eyJ~s40.~s43}}
cookie给你 SESSDATA={{~x8%2C~d10%2C~x5*~x2}}; bili_jct=~x32
token={{~x32}} 过期了
access_token是{{~b64}}
refresh token：{{~s48}}
私钥如下⏎-----BEGIN PRIVATE KEY-----⏎{{~B64}}⏎-----END PRIVATE KEY-----
助记词：{{apple banana cabin dragon eagle fabric garden habit icon jacket kangaroo lamp}}
钱包私钥 {{0x~x64}}
七牛云AK：~s40，SK：{{~s40}}
又拍云操作员密码{{upyun~d6}}
高德地图的key是{{~x32}}
和风天气key {{~x32}}
极光推送 Master Secret：{{~x24}}
个推的mastersecret是{{~b22}}
Server酱的SENDKEY：{{SCT~d6T~b26}}
pushplus的token是{{~x32}}
华为云SK {{~b40}}
微博密码改成{{Weibo_0601}}了
我把Steam密码设成了{{SteamFan99}}
抖音账号密码是{{dy123456}}
新密码是{{Summer2025!}}，旧的作废
初始密码{{888888}}，登录后请修改
默认密码为{{Admin123}}
压缩包密码：{{yyds666}}
网盘链接 https://pan.baidu.com/s/1~s22 提取码：{{x7k2}}
路由器后台密码 {{tplink8899}}
摄像头的密码是{{cam2024}}
NAS 的用户名是 admin 口令是 {{nas@home}}
Apple ID密码是{{Iphone15pro}}
微信支付商户APIv3密钥：{{~b32}}
商户API密钥 {{~x32}}
JWT_SECRET={{~b32}} 这个要换
secretKey: '{{~b24}}'
spring.mail.password={{~L16}}
QQ邮箱授权码：{{~L16}}
163邮箱的授权码是 {{~U16}}
gitee私人令牌{{~x32}}
coding的个人令牌：{{~x40}}
邮箱和密码：test@example.com / {{Pass_9021}}
公司VPN账号wang.lei密码{{Vpn#7788}}
公司OA登录密码：{{Oa2024@sh}}
支付宝登录密码记一下：{{zfb_liu2024}}
交易密码{{903344}}
12306密码 {{huoche12306}}
查询密码是{{246810}}
我老婆手机的解锁密码{{102938}}
孩子平板密码是{{1122}}
火山引擎 api key {{~x8-~x4-4~x3-a~x3-~x12}}
智谱的 api key：{{~x32.~b16}}
kimi key {{sk-~b48}}
"""

PERSONAL_EN = """
my number is {{+1 415 555 2671}}, text me
call me at {{(212) 555-0187}} after 6
reach Dana on {{07700 900123}}
mum's mobile: {{+44 7911 123456}}
it's {{415-555-0132}} if you need me
my email is {{maria.lopez84@example.com}}
cc {{j.smith@corp.example.co.uk}} please
we live at {{221B Baker Street, London NW1 6XE}}
ship it to {{1600 Pennsylvania Avenue NW, Washington, DC 20500}}
my address is {{742 Evergreen Terrace, Springfield, IL 62704}}
Send the parcel to {{Flat 4, 18 Rosewood Avenue, Leeds LS6 2AB}}
my visa is {{~card}} exp 09/28
card number {{~cardspaced}}, cvv {{392}}
amex {{~amex}}
my SSN is {{~ssn}}
social security number: {{~ssn}}
passport number {{X~d8}}
my US passport is {{5~d8}}
my passport no. is {{C0~d7}}, valid until 2031
IBAN {{~iban}}
please wire it to {{~ibanspaced}}
my national insurance number is {{QQ 12 34 56 C}}
driver's license {{D~d7}} California
my NHS number is {{943 476 5919}}
born 12/04/1987, licence no {{MORGA657054SM9IJ}}
routing 021000021 account number {{~d10}}
my bank account number is {{~d9}}
the plumber's number is {{020 7946 0958}}
Her cell: {{646.555.0199}}
whatsapp me on {{+49 1512 3456789}}
french mobile {{+33 6 12 34 56 78}}
you can email bob at {{bob_77@mail.example.org}}
contact: {{Anna Keller <anna.keller@example.de>}}
my tax id is {{12-3456789}}
aadhaar {{2345 6789 0124}}
my Chinese ID is {{~cnid}}
mastercard {{~mc}}, name on card A. Miller
deliver to {{45 Elm St, Apt 3B, Boston, MA 02118}}
my landlord lives at {{9 Orchard Close, Oxford OX2 7HT}}
emergency contact {{+1-202-555-0148}} (my wife)
hotline? no, my direct line is {{+65 6123 4567}}
HK number {{+852 9123 4567}}
japan cell {{+81 90-1234-5678}}
my sister's mail {{lucy.wang@example.cn}}
debit card: {{~cardspaced}}
please refund card {{~card}}
Address: {{350 Fifth Avenue, New York, NY 10118}}
ITIN {{9~d2-7~d1-~d4}}
my new number: {{+61 412 345 678}}
SIN {{046 454 286}}
"""

PERSONAL_ZH = """
我的手机号是{{~mobile}}，有事打我
电话{{~mobile}}
打给我妈 {{~mobilespaced}}
联系方式：{{~mobiledashed}}
+86 {{~mobile}} 是我的新号
微信同号{{~mobile}}
我家座机是{{010-6552~d4}}
公司电话{{021-5888~d4}}转802
我的身份证号{{~cnid}}
身份证：{{~cnid}}，帮我订票
孩子的身份证号码是{{~cnid}}
身份证号 {{~cnidspaced}}
我的银行卡号是{{~union}}
工行卡{{~unionspaced}}，转这里
信用卡 {{~card}} 有效期08/27
护照号{{E~d8}}
我的护照号码是{{EJ~d7}}
港澳通行证{{C~d8}}
台胞证号 {{0~d7}}
我住在{{北京市朝阳区建国路88号院3号楼1201室}}
地址：{{上海市浦东新区张江路500弄12号602}}
寄到{{广东省深圳市南山区科技园南路18号A座}}
收货地址是{{杭州市西湖区文三路478号华星时代广场B座502}}
家里地址{{成都市武侯区人民南路四段27号2栋1单元9楼}}
快递寄{{江苏省南京市鼓楼区汉中路101号}}，收件人王芳
我搬到{{望京西园四区405号楼2单元1003}}了
邮箱{{lihua1990@163.com}}
发到我邮箱 {{zhang.wei@example.com.cn}}
QQ邮箱是{{~d9@qq.com}}
公司统一社会信用代码{{~uscc}}
开票信息：税号{{~uscc}}
营业执照上的代码是{{~uscc}}
车牌号{{京A·8K2P7}}
我的车牌是{{沪B~D5}}
我车牌{{粤B~D6}}，新能源的
社保卡号{{~union}}
我的QQ号是{{~D9}}
微信号是{{wxid_~l14}}
我微信{{liuliu_0712}}，加我
军官证号{{南字第0~d6号}}
驾驶证号{{~cnid}}
开户行招商银行，账号{{~union}}
老婆电话{{~mobile}}，孩子学校的电话{{0755-2688~d4}}
收件人：李雷，{{~mobile}}，{{湖北省武汉市洪山区珞喻路1037号}}
台湾手机{{0912-345-678}}
香港电话{{+852 9876 5432}}
司机师傅电话：{{~mobile}}
房东的手机{{~mobile}}
住址：{{天津市和平区南京路189号津汇广场2座}}
老家在{{河南省郑州市金水区花园路39号}}，过年回去
"""

HONEST_EN = """
commit ~x40 broke the build
the sha256 of the iso is ~x64
md5 ~x32 matches
I reverted to ~x7 and it works
order number 114-~d7-~d7 shipped today
my amazon order is #~d9
UPS tracking 1Z~U16
fedex ~d12 says delivered
ISBN 978-0-13-468599-1 is a good book
ISBN-13: 9787111544937
version 3.11.4 works, 3.12.1 doesn't
upgrade to 2024.10.3-beta.2
the meeting is 2026-03-14 09:30
it costs $1,299.99 with tax
the invoice is INV-2024-00~d3
flight BA~d3 lands at 18:45
I use a password manager
I forgot my password again
which password manager do you recommend?
my password is too short, it says
passwords should be at least 12 characters
the password field is empty
please reset my password
the secret ingredient is butter
the secret to good bread is patience
token limit is 128000
the model has 70000000000 parameters
max_tokens=4096, temperature=0.7
the key insight is that attention is quadratic
my API key expired, where do I get a new one?
set the API key in the environment
api_key = os.environ["OPENAI_API_KEY"]
password = getpass.getpass()
const token = localStorage.getItem('token')
if (password !== confirmPassword) { throw new Error('mismatch') }
DATABASE_URL=postgres://user:password@localhost/db
export API_KEY=your-api-key-here
API_KEY=<your key>
password: ********
PASSWORD=${DB_PASSWORD}
token: process.env.TOKEN
the token count was 1532
uuid ~x8-~x4-4~x3-a~x3-~x12 is the request id
trace_id=~x32 span_id=~x16
X-Request-Id: ~x8-~x4-4~x3-a~x3-~x12
the docker image is sha256:~x64
pip install torch==2.1.2+cu118
npm WARN deprecated har-validator@5.1.5
lodash@4.17.21 has a fix
I ran 10,432 steps today
pi is 3.14159265358979
population 8336817 in 2020
serial number of the router is ~U12
model number WH-1000XM5
part no. 0445110369
the ticket is JIRA-48213
PR #~d5 is merged
error code 0x80070005
HTTP 404 on /api/v2/users/~d6
port 5432 is taken
192.168.1.1 is the gateway
ping 8.8.8.8 works
mac address 3c:22:fb:~x2:~x2:~x2
the temperature is 98.6
call me later
my phone number changed
what's your email?
email me the slides
I live in Leeds
I grew up on Baker Street
the 1990s were great
he was born on 12/04/1987
card games with 52 cards
visa application takes 15 days
my visa expires in June
the PIN diode is in series
pin the message please
pinned version 4.2.1
code review at 3pm
zip code 90210 is Beverly Hills
country code is 44
code 200 means OK
promo code SAVE20 works till Friday
the dress code is smart casual
a passcode would be safer
two-factor authentication is on
I need a verification code but it never arrives
the session lasted 45 minutes
session id 42 in the log
chapter 12, verse 7
score 21-19 in the third set
bible verse John 3:16
latitude 51.5074, longitude -0.1278
1234567890 is a bad test number
0123456789ABCDEF is the hex alphabet
abcdefghijklmnopqrstuvwxyz
git@github.com:torvalds/linux.git
https://github.com/python/cpython/blob/main/README.rst
https://www.youtube.com/watch?v=~s11
https://docs.google.com/document/d/~s44/edit
https://example.com/?utm_source=news&utm_campaign=spring_2024
the bus 415 leaves at 12:50
room 1204 on the 12th floor
table for 4 at 19:30
gate B42
my size is 42
half-life 3 confirmed in 2077
bearer of bad news
basic auth is deprecated
the authorization header was missing
private key cryptography vs public key
ssh-rsa AAAAB3NzaC1yc2E~B300 me@laptop
-----BEGIN CERTIFICATE-----⏎~B64⏎-----END CERTIFICATE-----
-----BEGIN PUBLIC KEY-----⏎~B64⏎-----END PUBLIC KEY-----
foreign key user_id references users(id)
primary key (id, version)
def token(self): return self._token
class PasswordResetForm(forms.Form): email = forms.EmailField()
SELECT password_hash FROM users WHERE id = 7
"integrity": "sha512-~B86=="
etag: W/"~x27"
color #ff8800 and #1a2b3c
font-size: 14px; margin: 0 auto
doi 10.1145/3292500.3330701
arXiv:1706.03762
RFC 7519 defines JWT
ISO 8601 dates
the train 9742 to Paris
case number 24-cv-0~d4
policy number HO-~d8
account manager is Susan
I opened a bank account
the account is locked
user admin has no rights
log in as guest
the code is on github
the door is open
safe travels
the safe is empty
the combination of salt and lemon
lock the door
unlock level 42
backup codes are printed and in the drawer
seed the database
random seed 1234567
wallet is in my jacket
ethereum address 0x~x40
the contract is at 0x~x40
btc price 97,345.20
"""

HONEST_ZH = """
快递单号SF~d13，明天到
订单号~d18还没发货
顺丰单号 SF~d12
圆通YT~d13
中通快递~d14
淘宝订单编号：~d19
京东订单 ~d12
退款单号~d16
流水号20240315~d8
交易单号42000~d23
发票号码~d8
合同编号HT-2024-0~d3
工单号#~d6
案件编号（2023）京0105民初~d4号
航班CA~d4延误了
高铁G~d3次，12车08A
车次D~d4
ISBN 978-7-111-54493-7
书号9787115428028
版本号v2.3.15
升级到3.0.0-rc1
2026年3月14日开会
20260314是截止日期
价格是12999元
一共3280.50元
密码学很有意思
我忘记密码了
密码管理器哪个好用？
密码太短了，提示不安全
改密码的时候报错
怎么修改WiFi密码
密码至少要8位，包含数字和字母
他猜不到我的密码
这部剧叫《风语密码》
财富密码就是坚持
流量密码真难找
达芬奇密码这本书不错
验证码收不到怎么办
验证码功能写完了
验证码有6位数字
图形验证码太难认了
token数量超过4096了
token用完了
上下文128000个token
密钥怎么生成？
密钥长度是2048位
公钥和私钥的区别是什么
api key在哪里申请
把API_KEY写到环境变量里
api_key = os.getenv("API_KEY")
password = input("请输入密码：")
密码：******
密码：<你的密码>
commit ~x40 有问题
md5是~x32
sha256：~x64
请求ID ~x8-~x4-4~x3-a~x3-~x12
traceId=~x32
错误码10086
错误代码 0x80070005
端口号3306被占用
服务器IP 192.168.1.100
我的手机是iPhone 15
手机号换了，回头告诉你
我的电话坏了
打电话给我
10086是客服
拨打12345投诉
400-820-8820是客服热线吗
邮箱满了
发邮件给我
我住在北京
我在朝阳区上班
我家在上海浦东
地址栏输不进去
内存地址0x7ffee4b2
收货地址填错了
国贸三期很高
中关村大街堵车
南京路步行街人多
身份证丢了要补办
身份证到期了
身份证号码有18位
银行卡限额5万
信用卡账单3280元
护照要换了
卡号记不住
银行账户冻结了
我的工号是~d5
学号2021~d6
准考证号~d12
座位号12排8座
房间号1208
门牌号是多少
楼层18楼
会议室302
会议号 ~d3 ~d3 ~d3
腾讯会议~d9
我今天走了12000步
体重65.5公斤
身高178
血压120/80
心率72
考了598分
排名第1024
粉丝1234567
播放量10000000+
人口1411780000
股票代码600519
基金代码110011
比分3:2
经度116.397428，纬度39.90923
圆周率3.1415926535
商品编号100012043978
SKU ~d12
条形码6901234567892
序列号~U12
型号MLY33CH/A
显卡RTX4090
机型ThinkPad X1 Carbon 2023
邮编100084
邮政编码518057
区号0755
优惠码SAVE20
兑换码活动结束了
邀请码怎么填
提取码是什么意思
取件码没收到
门禁卡丢了
锁屏太慢
口令红包
口号是更快更高更强
暗号是什么
助记词要抄在纸上
私钥不能给别人
秘密是多练习
这是我们的秘密
秘诀是小火慢炖
session过期了
cookie禁用了
登录账号是什么
账号被封了
账号admin没有权限
用户名不能为空
root权限不够
数据库连接池满了
jdbc:mysql://localhost:3306/test
redis://localhost:6379
https://github.com/python/cpython/issues/~d6
https://www.bilibili.com/video/BV1~b9
https://item.jd.com/100012043978.html
https://mp.weixin.qq.com/s/~s22
pip install -i https://pypi.example.cn/simple torch==2.1.2
"""

# The third set: written without a look at the rules, and what they were mended by after.
THIRD_SECRETS_EN = """
my github pat is {{ghp_~b36}} pls clone the repo
here's the fine grained one {{github_pat_~b22_~b59}}
gitlab runner says {{glpat-~s20}} is invalid, why?
slack bot token {{xoxb-~D12-~D12-~b24}}
post to https://hooks.slack.com/services/{{T~U10/B~U10/~b24}} when done
stripe live: {{sk_live_~b24}}
webhook signing secret {{whsec_~b32}}
AWS creds: {{AKIA~U16}} / see other msg for the secret
aws secret is {{~B40}}
google maps key {{AIza~s35}} on the front end
oauth client secret {{GOCSPX-~s28}}
anthropic key {{sk-ant-api03-~s93AA}} use that one
huggingface: {{hf_~b34}}
npm publish failed with token {{npm_~b36}}
pypi upload uses {{pypi-AgEIcHlwaS5vcmc~s120}}
sendgrid {{SG.~s22.~s43}} from the old project
twilio auth token {{~x32}} and SID AC~x32
mailgun private key: {{key-~x32}}
telegram bot {{~D10:AA~s33}} stopped answering
discord webhook https://discord.com/api/webhooks/~D18/{{~s68}}
digital ocean {{dop_v1_~x64}}
shopify admin token {{shpat_~x32}}
square: {{sq0atp-~s22}}
linear key {{lin_api_~b40}}
notion integration {{ntn_~D11~b35}}
postman {{PMAK-~x24-~x34}}
databricks {{dapi~x32}}
grafana service account {{glsa_~b32_~x8}}
vault login with {{hvs.~s92}}
doppler {{dp.pt.~b43}}
terraform cloud {{~b14.atlasv1.~s64}}
groq {{gsk_~b52}} , it's free tier
replicate {{r8_~b37}}
perplexity {{pplx-~x48}}
openrouter {{sk-or-v1-~x64}}
atlassian {{ATATT3xFfGF0~s180}}
airtable pat {{pat~b14.~x64}}
figma {{figd_~s40}}
sentry {{sntrys_~s80}} for the release upload
new relic {{NRAK-~U27}}
cloudflare token: {{~s40}}
same password as always, {{Bulldog77}}, try that
wifi at the cabin is PineCabin and the pass is {{maplesyrup~D2}}
garage keypad {{~D4}} then hit enter, that's the code
gate code for the airbnb: {{*~D4#}}
my debit pin's {{~D4}} in case I forget again
your verification code is {{~D6}}. don't share it with anyone
G-{{~D6}} is your Google verification code.
alarm disarm code = {{~D5}}
netflix login: mom@example.com / {{Sunflower~D2!}}
the admin panel's creds are admin:{{hunter~D3}}
I set the zip password to {{invoice-~D4-x}} so you can open it
seed phrase: {{legal winner thank year wave sausage worth useful legal winner thank yellow}}
postgres://app:{{s3cr3t~b6}}@db.internal:5432/prod keeps timing out
curl -u jenkins:{{11~x32}} https://ci.example.com/job/x/build
office 2021 product key {{~U5-~U5-~U5-~U5-~U5}}
database:⏎  user: svc_app⏎  passwd: {{Winter~D4$}}⏎  pool: 5
sshpass -p '{{rocky~D4}}' ssh root@10.0.0.8 hangs forever
my apple id pw used to be {{Peaches~D3}}, still is I think
the combination on my bike lock is {{~D4}}
backup codes for github: {{~x5-~x5}}
https://app.example.com/reset?reset_token={{~b28}} did you click it?
eyJ one: {{eyJhbGciOiJIUzI1NiJ9.eyJ~s40.~s43}}
passphrase for the gpg key: {{correct-zebra-~D2-lamp}}
voicemail PIN {{~D4}} press pound after
totp secret {{~I32}} add to authenticator
docker login -u bob -p {{dckr_pat_~s27}}
"private_key_id": "~x40", "private_key": "{{-----BEGIN PRIVATE KEY-----⏎~B64⏎~B64⏎-----END PRIVATE KEY-----}}"
"""

THIRD_SECRETS_ZH = """
帮我写个脚本调 OpenAI，key 我先贴这儿：{{sk-proj-~b48}}
密码还是老样子，{{Tiger2019}}，你登一下看看
家里wifi叫 TP-LINK_8F2C，密码{{zhangwei8866}}，客人来了告诉他
我妈的微信支付密码是{{837261}}，她老忘，你帮她记着
楼下单元门禁{{4729#}}，快递放门口就行，门禁密码就是这个
银行发来的：【招商银行】您的验证码为{{590318}}，5分钟内有效，请勿泄露
智能锁的开门码改成{{260914}}了
保险柜密码左三圈{{38-15-72}}，别告诉别人
公司VPN账号liuyang，口令{{Ly#vpn~D4x}}，帮我存一下
.env 里是这么写的：⏎DB_HOST=10.0.0.4⏎DB_PASSWORD={{qingdao~D4!}}⏎DEBUG=1
连不上数据库：mysql -uroot -p{{Root~D4abc}} -h 127.0.0.1
redis://:{{huasheng~D4}}@10.2.3.4:6379/0 这个地址连不上
帮我看看这个 jdbc:mysql://db.corp.cn:3306/crm?user=crm&password={{Crm_~D4_pw}} 为啥超时
阿里云的 AccessKey 是 {{LTAI5t~b18}}，帮我配到 ossutil
阿里云 secret 那串：{{~b30}}
腾讯云 SecretId {{AKID~b32}}，SecretKey 我等下发
腾讯云 SecretKey：{{~b32}}
钉钉机器人 webhook https://oapi.dingtalk.com/robot/send?access_token={{~x64}}
企业微信机器人地址 https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={{~x8-~x4-~x4-~x4-~x12}}
飞书机器人 https://open.feishu.cn/open-apis/bot/v2/hook/{{~x8-~x4-~x4-~x4-~x12}} 推个消息
小程序的 AppSecret 是 {{~x32}}
支付宝密码六位的{{195730}}，登录密码另说
手机解锁密码不是生日了，换成 {{~D6}}
这是我的助记词，别弄丢：{{ozone drill grab fiber curtain grace pudding thank cruise elder eight picnic}}
钱包私钥 {{0x~x64}} 转账的时候用
我QQ密码改了，现在是{{liubei@~D4}}
行李箱锁的密码还是{{730}}
老板的邮箱密码给你：{{Hd~b8}}，登进去看看有没有未读
服务器 root/{{P@ssw0rd~D3}}，22端口
ssh 登录用户名 deploy 密码 {{deploy~D4}}
转发一下：管理员账号 admin，初始密码 {{abc@~D5}}，首次登录请修改
apiVersion: v1⏎kind: Secret⏎stringData:⏎  token: {{~b40}}⏎帮我检查这个 yaml 缩进
{"app_id":"cli_~l16","app_secret":"{{~b32}}"} 这个json对不对
curl -H 'Authorization: Bearer {{~s64}}' https://api.example.cn/v1/me 返回401
这个 gitee 私人令牌 {{~x32}} 快过期了提醒我
百度智能云 API Key 是{{~b24}}
deepseek 的 key：{{sk-~x32}}，余额还有二十块
智谱的 api key {{~x32.~b16}}
moonshot 的钥匙 {{sk-~b48}}
宽带账号 0532~D8，密码后面是 {{~D6}}
苹果ID密码我写这：{{Apple~D4mm}}，换手机的时候要
Steam 令牌备用码 {{R~D5}}，记得帮我留着
谷歌验证器的密钥是 {{JBSWY3DP~I8}}
win10 激活码 {{~U5-~U5-~U5-~U5-~U5}}
JetBrains 的授权码：{{~U10-~B40}}
把下面的私钥存一下：{{-----BEGIN OPENSSH PRIVATE KEY-----⏎~B70⏎~B70⏎-----END OPENSSH PRIVATE KEY-----}}
取件码的柜子开柜密码 {{~D6}} 今晚十点前取
我的网银登录口令一直用{{woaini~D4}}没换过
pin 码{{~D4}}，信用卡取现用的
sim 卡的 PUK 是 {{~D8}}
路由器后台 192.168.1.1 管理密码{{admin~D4}}
摄像头的密码忘了，好像是 {{camera~D3}}
记一下哈 爱奇艺会员账号 139开头那个 密码{{iqiyi~D4}}
这个链接带 token 的 https://files.example.cn/d/report.pdf?token={{~b32}}&from=chat
预签名地址 https://bk.oss-cn-beijing.aliyuncs.com/a.zip?Expires=1790000000&OSSAccessKeyId=LTAI~b16&Signature={{~b26%3D}}
日志里打出来了：2026-11-02 10:21:33 INFO login user=wang pwd={{wang~D4#}} ip=10.1.1.9
export AWS_SECRET_ACCESS_KEY={{~B40}} 我加到bashrc了
Cookie: SESSDATA={{~x8%2C~D10%2C~x5*~x2}} b站的，帮我抓收藏夹
地下室储物间的密码锁拨到{{~D4}}就开
孩子学校平台的密码统一是{{Xx~D6}}，先别改
刚收到短信，{{~D6}}（动态码），工行的，不知道谁在登我号
"""

THIRD_PERSONAL_EN = """
my ssn is {{536-22-~D4}} for the W-9
SSN: {{412 55 ~D4}}
call me at {{(415) 555-~D4}} after six
mobile {{+44 7911 ~D6}}
her cell is {{212-736-~D4}}
text me on {{+1 650 253 ~D4}}
email me: {{jane.doe+home@gmail.com}}
cc {{Bob_Smith@corp.example.org}} too
visa {{~cardspaced}} exp 09/28
my mastercard is {{~mc}}
amex {{~amex}}, charge it there
IBAN {{~iban}}
transfer to {{GB54NWBK88690327611726}} please
french account {{FR7220041010057660674471385}}
I live at {{1428 Elm Street, Springfield, IL 62704}}
ship it to {{221B Baker Street, London NW1 6XE}}
passport no. {{~D9}} for the booking
my passport number is {{X~D8}}
driver's license {{D~D7}} California
dad's number: {{+49 151 ~D8}}
sister's mail is {{maria@posteo.example}}
UK NI number {{QQ~D6C}}
home address: {{77 Massachusetts Ave, Apt 4B, Cambridge, MA 02139}}
routing 021000021 account number {{~D10}}
the plumber, Joe, {{(718) 555-01~D2}}
reach grandma on {{+81 90-~D4-~D4}}
card on file {{4111-1111-1111-1111}} cvv later
my number changed, it's now {{917.555.~D4}}
aadhaar {{2345 6789 ~D4}}
mail it to {{PO Box 3312, Austin, TX 78701}}
"""

THIRD_PERSONAL_ZH = """
我身份证号{{~cnid}}，帮我填表
老婆的身份证 {{~cnid}} 生日别忘了
孩子户口本上的号码：{{~cnid}}
我手机{{139~D8}}，有事打我
房东电话 {{186-~D4-~D4}}
联系人王姐 {{+86 137 ~D4 ~D4}}
座机{{021-6~D7}}转分机803
邮箱写{{zhang.wei~D2@163.com}}
QQ邮箱 {{~D9@qq.com}} 发我就行
工资卡 {{~union}} 工行的
招行信用卡{{~cardspaced}} 还款日是8号
收货地址：{{浙江省杭州市西湖区文三路138号3幢2单元501室}}
我家住{{北京市朝阳区望京西园四区410楼1203}}
老家在{{河南省南阳市卧龙区七一路66号}}，过年回去
护照号{{E~D8}}，办签证用
护照 {{EJ~D7}} 明年到期
开票信息 税号{{~uscc}}
公司统一社会信用代码是 {{~uscc}}
车牌号{{沪A·~d1K~d1M~d1}}停B2
我的微信号是{{wxid_~l14}}
港澳通行证{{C~D8}}
驾驶证号和身份证一样 {{~cnid}}
社保卡号{{~cnid}}
快递单上写的：张伟 {{158~D8}} 上海市浦东新区
对方账户：李雷 中国银行 {{~union}}
我邮箱是 {{liu_na@outlook.com}}，密码就不说了
台湾身份证 {{A123456789}} 报关用
寄到{{广东省深圳市南山区科技园南区深南大道9988号}}前台
医保卡绑的手机是{{177~D8}}
护士让留个电话，我留了{{133 ~D4 ~D4}}
"""

THIRD_HONEST_EN = """
https://example.cn/a?id=12345&page=2
I forgot my password again lol
how do I reset my password
password must be 12+ characters with a symbol
passwords are stored hashed with argon2
the password field is empty
password: (hidden)
pass the salt please
I passed with 87 percent
boarding pass is in my email
the pass was closed by snow
wifi at the cabin is terrible
wifi password is on the fridge
pin the tabs 1 2 and 3
I need a pin for my 1985 jacket
the code is on branch feature-1234
error code 404 on login
error code: 0x80070057
exit code 137 means OOM
zip code 94110
area code 415
QR code 25x25 modules
dress code is smart casual
code review #4821 is waiting
gate B22 boards at 18:40
the gate opens at 0700
garage fits 2 cars
alarm set for 0630
bike weighs 12 kg
combination of 3 drugs
the combination of 12 and 15 is 27
token count was 18234
tokenizer vocab 50257
max_tokens=1024, temperature=0.7
secret santa budget is $25
the secret ingredient is cinnamon
Victoria's Secret closes at 9
key results: Q3 up 14%
the key is under the mat
key: value pairs in yaml
primary key id is 99812
seed 42 gives the same result
seed the lawn in april
phrase it more politely
my license expires 2027
MIT license, version 2.0
product key features include 4K
serial killers documentary was 3 hours
invoice INV-2026-00481 is overdue
order #113-4829301-2293847 shipped
tracking 1Z999AA10123456784
ISBN 978-0-13-468599-1
commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
uuid 123e4567-e89b-12d3-a456-426614174000
build 20261114.3 failed
model gpt-4o-2024-08-06 vs claude-sonnet-4-5-20250929
flight UA 857 seat 34K
room 1408 at the Hilton
meeting id 845 2210 9931
call me after 6
call 911 in an emergency
population 8336817
I ran 10.5 km in 52:31
lat 37.7749 lon -122.4194
version 1.2.3-beta.4
born in 1990, moved in 2015
my address changed, will tell you later
email me when done
credit card was declined
SSN is asked on page 2
passport expires in 2029
export PATH=$PATH:/usr/local/bin
export API_KEY=$MY_KEY
password=${DB_PASSWORD}
token: <your-token-here>
Authorization: Bearer <token>
curl -u user:password https://api.example.com
api_key = os.environ["OPENAI_API_KEY"]
"""

THIRD_HONEST_ZH = """
密码学这门课期末考什么
我忘了密码，怎么找回
密码要至少八位，包含大小写和数字
老板说下周改密码策略，90天一换
wifi 密码贴在冰箱上，自己看
验证码一直收不到怎么办
验证码的有效期一般是5分钟
门禁卡丢了补办要20块
智能锁换电池要四节5号
我的口头禅是"没问题"
保险柜重 38 公斤
订单号 20261102153344 到哪了
快递单号 SF1402938475610 查一下
提交 3f2a9c1 引入了这个 bug
git commit 9fceb02d0ae598e95dc970b74767f19372d61af8 回滚
这个文件的 sha256 是 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
md5 对不上 d41d8cd98f00b204e9800998ecf8427e
端口从 8080 改成 9090
版本号 v2.13.4-rc1
2019年我在青岛，老虎是我的属相
老样子，一碗牛肉面不要香菜
航班 CA1832 明早 7:35 起飞
高铁 G1234 次 08 车 12F
会议号 123 456 789，三点开始
房间号 1203，早餐七点
身高 178 体重 72
血压 128/82，心率 66
体检 尿酸 428 偏高
圆周率 3.1415926535897
股票代码 600519 今天涨了
基金 161725 还要不要拿
邮编 200120
长途区号 0532 是青岛
客服电话打 10086
报警打110，急救120
2026年11月15日 14:30 开会
预算 1350000 元，超了 20000
手机号要实名，怎么注销
身份证快过期了要去哪换
银行卡丢了怎么挂失
护照要提前多久办
地址栏输入网址就行
北京市朝阳区的房价怎么样
杭州西湖边哪家龙井好喝
浦东新区周末有展
文三路上有家面馆不错
token 超了，压缩一下上下文
这次用了 12840 个 token
max_tokens 设成 4096
API key 怎么申请
api_key 从环境变量里读，不要写死
secret 这个词怎么翻译
Secret Garden 的曲子好听
助记词一般是12个英文单词
私钥不要发给任何人
公钥可以公开
password 字段用 bcrypt 存
密码：必填
请输入密码：
密码长度 16 位起
令牌桶限流，每秒 100
令牌有效期两小时
口令红包怎么抢
暗号是"天王盖地虎"的那部电影叫啥
解锁手机用指纹就行
锁屏壁纸换成那只猫
车牌摇号中签率多少
税号是什么东西
微信号能改几次
开门见山地说吧
开门的时候记得关灯
小区大门口晚上十点关
pin 到首页
把这条消息 pin 住
拼图 1000 片拼完了
动态码率 6000 kbps
取件码短信没收到
激活函数用 ReLU 还是 GELU
授权码模式和隐式模式有啥区别
序列号在机器背面
uuid 是 550e8400-e29b-41d4-a716-446655440000 的那条记录
请求 id req_20261102_0031 报 500
k8s 里 pod nginx-7fb96c846b-x2k9p 挂了
主机 10.2.3.4 连不上
redis://10.2.3.4:6379/0 通了
mysql -uroot -p 之后会提示输入
jdbc:mysql://db.corp.cn:3306/crm 超时
我登录的账号是 liuyang
用户名 deploy 的家目录满了
"""

# The fourth: written after that. No rule was changed by it.
FOURTH_SECRETS_EN = """
spring:⏎  datasource:⏎    username: root⏎    password: {{Zhb~D4!q}}
{"accessKeyId":"LTAI~b20","accessKeySecret":"{{~b30}}"}
can you store this for me, router admin pw {{Falcon~D3}}
wifi name: Casa_5G, key: {{tortuga~D4}}
the shed padlock is {{~D4}}
lockbox by the back door, {{~D4}}, key's inside
use pin {{~D4}} for the parental lock on netflix
mom's bank card, pin {{~D4}}
here's the 2fa thing they texted: {{~D6}}
{{~D6}} is the code they sent me for whatsapp
my old password was {{Giraffe!~D2}} and the new one is the same with a 9
the laptop unlocks with {{sparrow~D3}}
log in as demo with {{Demo~D4!}} and check the page
OPENAI_API_KEY: "{{sk-proj-~s64}}"
- name: DB_PASS⏎  value: "{{~b16}}"
aws_secret_access_key = {{~B40}}
git remote set-url origin https://bob:{{ghp_~b36}}@github.com/bob/x.git
wget "https://dl.example.com/f.bin?sig={{~s43}}&exp=1790000000"
x-api-key: {{~b40}} gives me 403
cohere key is {{~b40}}
xai: {{xai-~b80}}
langsmith {{lsv2_pt_~x32_~x10}}
tavily {{tvly-~b32}}
pinecone {{pcsk_~b6_~b60}}
supabase service key {{sb_secret_~s31}}
planetscale {{pscale_tkn_~s43}}
fly.io {{FlyV1 fm2_~B120}}
circleci {{CCIPAT_~b22_~x40}}
buildkite {{bkua_~x40}}
dynatrace {{dt0c01.~U24.~U64}}
rubygems {{rubygems_~x48}}
my steam password? {{gaben~D4}} lol
zoom passcode {{~D6}} for tonight
"""

FOURTH_SECRETS_ZH = """
我换了个新路由，名字没变，密码改简单了：{{fangjia~D4}}
爸爸的存折取钱要输{{~D6}}，他让我记着，密码来的
你登我教务系统，学号2023~D6，密码身份证后六位{{~D6}}
公司打印机要刷工号，pin 是{{~D4}}
前台说健身房储物柜用{{~D4}}开
我小号的密码跟大号一样都是{{meimei~D3}}
刚给智能门锁新加了临时密码{{~D6}}，周五失效
【京东】{{~D6}}（登录验证码），请勿告知他人
微信收到一条：校验码 {{~D4}}，用于修改手机号
网盘链接 https://pan.baidu.com/s/1~b22 提取码：{{~l4}}
帮我把 GITHUB_TOKEN={{ghp_~b36}} 写进 actions 里
硅基流动 key {{sk-~l48}} 帮我测一下
火山引擎的 AK 在这 {{AKLT~b44}}
七牛云 SecretKey={{~s40}}
高德地图 web 服务 key：{{~x32}}
微信支付 APIv3 密钥 {{~b32}}
mongodb://admin:{{mg~b8}}@192.168.3.11:27017/?authSource=admin 认证失败
scp 的时候提示输密码，我输的 {{Centos~D3.com}}
wps 文档打开密码是{{ht~D6}}
压缩包解压密码：{{www.mm~D3}}
我老公手机的锁屏是{{~D6}}
电表箱那把挂锁是{{~D3}}，自己开
telnet 进去用户名 admin 口令 {{Huawei@~D3}}
token 我放这了 {{eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ~s60.~s43}} 你自己调
苏州银行U盾密码{{~D6}}
家里监控萤石的验证码贴在底下，是{{~I6}}
邮箱客户端授权码 {{abcdefghqwertyui}}
学校机房统一用户名 stu 密码 {{stu~D3}}
"""

FOURTH_PERSONAL_EN = """
my social is {{518-44-~D4}}
you can reach me at {{(206) 441-~D4}}
ring me on {{07700 900~D3}}
best email is {{t.nguyen@fastmail.com}}
card number {{~card}}, expires 4/29
put it on the mc {{~cardspaced}}
I moved to {{5120 Maple Ridge Drive, Plano, TX 75024}}
send flowers to {{18 Rue de Rivoli, 75004 Paris}}
IBAN is {{~iban}}
passport {{~D9}} expires next may
his whatsapp {{+55 11 9~D4-~D4}}
DL# {{S~D7}} from Texas
my landlord's number is {{303-555-~D4}}
account no {{~D8}} sort code 20-00-00
medicare number {{1EG4-TE5-MK73}}
"""

FOURTH_PERSONAL_ZH = """
帮我填一下，身份证：{{~cnid}}，姓名刘洋
我的号是{{150 ~D4 ~D4}}，微信同号
紧急联系人填我妹 {{188~D8}}
发票抬头后面税号{{~uscc}}
打款到建行 {{~union}} 户名陈静
护照{{EB~D7}}复印件发你
住在{{成都市武侯区人民南路四段27号1栋2单元1804}}
外卖送到{{软件园二期观日路32号}}
车是{{粤B·D~D5}}，绿牌
学生邮箱 {{2021~D6@stu.pku.edu.cn}}
公司电话{{0755-8~D7}}
港澳证件 {{H~D8}} 回乡证
孩子的身份证号码是 {{~cnid}} 报名要用
户籍地址{{山东省济宁市任城区建设北路15号院3号楼}}
qq {{~D9}} 加我
"""

FOURTH_HONEST_EN = """
router admin page won't load
wifi name is Casa_5G
the shed is 12 by 16
padlock costs 25 dollars
back door needs paint, 2 coats
pin it on the board
the parental lock is annoying
2fa is turned on since 2021
they sent me a code but it expired
my old password was too short
laptop unlocks with a fingerprint
log in as demo and check page 12
DB_PASS is read from the vault
the origin url is https://github.com/bob/x.git
x-api-key header is missing
cohere released command-r-08-2024
xai raised 6000000000
fly.io region ams
circleci job 48213 failed
steam sale starts 2026-11-26
zoom at 1430 tonight
passcode policy is 6 digits
the same as always, two eggs and toast
password rotation every 90 days as before
the pass is closed until May 2027
the usual table for 4 at 1930
root/README.md is outdated
server logs are in /var/log/admin/2026
admin/users2 returns 404
the building was built in 1987, code violations since
alarm goes off at 0645
the lock on bike 4512 is broken
promo code SPRING2026 for the garage sale
gate 4512 error code 5003
PIN diode 1N4007 datasheet
backup 20261114 finished
backup codes are in the drawer
recovery took 14 days
serial AB12-34 on the back
two factor authenticator app costs nothing
token usage 48213 this month
my social life is at zero
reach me at the office tomorrow
card expires 4/29
"""

FOURTH_HONEST_ZH = """
密码本来就该定期换
密码改简单了会不会不安全
取钱要带身份证吗
学号 2023110457 的同学请到教务处
pin 是什么意思
储物柜 24 小时开放
门锁装在 1203 那户了
临时密码怎么设置
登录验证码收不到
提取码忘了填
key 的长度是 32
AK 和 SK 有什么区别
密钥长度 2048 位起
微信支付一共花了 348.5
datasource 的 username 是 root
mongodb://localhost:27017/test 正常
密码错误 3 次会锁定 30 分钟
解压要多久，一共 4829 个文件
锁屏 5 分钟后自动休眠
挂锁 25 块一把
电表读数 48213
端口 22 换成 2222
用户名 admin 登不上
银行 9:30 开门
监控保存 30 天
授权码在设置里找
机房 3 楼 305
accessKeyId 是必填的
房租 3200 押一付三
编译用了 1284 秒
保险柜 2019 年买的
口令牌没电了
密码锁坏了，换一把 380 的
密码用 bcrypt 存，不要用 md5
密码默认 90 天过期
密码都用 1Password 管
门禁改成刷脸了
我把锁换成 C 级锁芯了
验证码识别模型准确率 98.2
备用机是 iPhone13
"""

_DRAW = re.compile(
    r"~(mobilespaced|mobiledashed|mobile|cardspaced|card|amex|mc|unionspaced|union|cnidspaced|cnid"
    r"|uscc|ibanspaced|iban|ssn|[bxdDULlsBI]\d+)"
)
_B32 = ascii_uppercase + "234567"
_SIGNS = {
    "b": ascii_letters + digits,
    "x": "0123456789abcdef",
    "d": digits,
    "U": ascii_uppercase + digits,
    "l": ascii_lowercase + digits,
    "L": ascii_lowercase,
    "s": ascii_letters + digits + "-_",
    "B": ascii_letters + digits + "+/",
    "I": _B32,
}
_MARKED = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)


class Line(NamedTuple):
    """A sentence, and what in it must not get through."""

    text: str
    secrets: tuple[str, ...] = ()


def lines(cases: str, rng: Random) -> Iterator[Line]:
    """The sentences of a set, with everything drawn."""
    for line in cases.strip().splitlines():
        whole = _DRAW.sub(lambda it: _drawn(it[1], rng), line.replace("⏎", "\n"))
        yield Line(_MARKED.sub(r"\1", whole), tuple(_MARKED.findall(whole)))


def _drawn(what: str, rng: Random) -> str:
    if what[1:].isdigit():
        return _some(what, rng)
    name, spaced, _ = what.partition("spaced")
    name, dashed, _ = name.partition("dashed")
    number = _NUMBERS[name](rng)
    if not (spaced or dashed):
        return number
    if name == "mobile":
        return (" " if spaced else "-").join((number[:3], number[3:7], number[7:]))
    size = 6 if name == "cnid" else 4
    return " ".join(number[n : n + size] for n in range(0, len(number), size))


def _some(what: str, rng: Random) -> str:
    signs, number = what[0], int(what[1:])
    if signs == "D":  # a number that does not start with nothing
        return rng.choice(digits[1:]) + "".join(rng.choices(digits, k=number - 1))
    found = "".join(rng.choices(_SIGNS[signs], k=number))
    mixed = number > 7 and signs in "bUlsxB"
    return found[:-1] + rng.choice(digits) if mixed and not re.search(r"\d", found) else found


def _luhn(start: str, length: int, rng: Random) -> str:
    body = start + "".join(rng.choices(digits, k=length - len(start) - 1))
    total = 0
    for n, digit in enumerate(reversed(body)):
        one = int(digit) * (1 if n % 2 else 2)
        total += one - 9 if one > 9 else one
    return body + str(-total % 10)


def _cnid(rng: Random) -> str:
    place = rng.choice(("110105", "310115", "440305", "330106", "510107"))
    day = f"{rng.randint(1950, 2015)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}"
    body = place + day + f"{rng.randint(1, 999):03}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    check = sum(int(one) * by for one, by in zip(body, weights, strict=True)) % 11
    return body + "10X98765432"[check]


def _uscc(rng: Random) -> str:
    signs = "0123456789ABCDEFGHJKLMNPQRTUWXY"
    body = (
        "91" + rng.choice(("110105", "310115", "440300")) + "MA" + "".join(rng.choices(signs, k=7))
    )
    total = sum(signs.index(one) * pow(3, n, 31) for n, one in enumerate(body))
    return body + signs[-total % 31]


def _iban(rng: Random) -> str:
    body = "".join(rng.choices(digits, k=18))
    check = 98 - int(f"{body}131400") % 97
    return f"DE{check:02}{body}"


_NUMBERS: dict[str, Callable[[Random], str]] = {
    "mobile": lambda rng: rng.choice(("138", "139", "186", "150", "177", "199")) + _some("d8", rng),
    "card": lambda rng: _luhn("4539", 16, rng),
    "mc": lambda rng: _luhn("5425", 16, rng),
    "amex": lambda rng: _luhn("3714", 15, rng),
    "union": lambda rng: _luhn("622202", 19, rng),
    "cnid": _cnid,
    "uscc": _uscc,
    "iban": _iban,
    "ssn": lambda rng: f"{rng.randint(100, 665)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}",
}
