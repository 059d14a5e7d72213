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

_DRAW = re.compile(
    r"~(mobilespaced|mobiledashed|mobile|cardspaced|card|amex|mc|unionspaced|union|cnidspaced|cnid"
    r"|uscc|ibanspaced|iban|ssn|[bxdDULlsBI]\d+)"
)
_B32 = ascii_uppercase + "234567"
_SIGNS = {
    "b": ascii_letters + digits, "x": "0123456789abcdef", "d": digits, "U": ascii_uppercase + digits,
    "l": ascii_lowercase + digits, "L": ascii_lowercase, "s": ascii_letters + digits + "-_",
    "B": ascii_letters + digits + "+/", "I": _B32,
}  # fmt: skip
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
