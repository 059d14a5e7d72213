"""Secrets in people's own words, and what is only said in the same words.

As unseen_cases.py is written. The author of the rules wrote these, so that they show what the rules are
about and no more than that; two thirds were looked at while the rules were made.
"""

from __future__ import annotations

SECRETS_EN = r"""
passphrase is {{lobster-in-a-tuxedo}}
my new passphrase is {{purple monkeys juggle teapots}}
the wifi password is {{banana}}
wifi password at the cabin? {{pinecone99}}
ok so the wifi pw is {{mochi2020}}, all lowercase
i changed my pass to {{Winter!!77}}
her phone passcode is {{8 2 7 1}}
the passcode for the ipad's {{112358}}
alarm code {{4471}} then the star
alarm code's {{four two seven one}}
alarm code is now {{nine nine oh three}}
the gate opens with {{5510#}}
punch in {{2846}} at the side gate
you punch {{4-4-7-1}} to get into the house
my laptop unlocks with {{sparrow846}}
the lockbox combo: {{31-07-22}}
combination for the bike lock is {{742}}
combination of grandpa's safe: left {{24-8-36}}
{{hunter2}} is the wifi password
{{swordfish77}} — that's the password
{{tulip-42}} is what you type for the guest network password
use {{bluebird77}} as the password
log in as demo with {{Demo6064!}}
login is kate / {{Tulip_2020}}
log in as admin, password {{admin1234}}
sign in with bob and {{Marble$44}}
creds: jane:{{S0lstice!}}
credentials are root / {{toor2024}}
password's {{hunter2}} lol
pwd = {{qwerty123}}
pw {{kestrel44}}
psw: {{lunabella7}}
passwrd is {{carrot55}}
the pasword is {{cheesecake9}}
passcode {{0907}}
pin {{5407}} for mom's bank card
mom's bank card, PIN {{5407}}
my pin used to be {{1987}} and now it's {{6634}}
debit card pin: {{2288}}
SIM pin is {{0000}}
puk code {{12345678}}
voicemail pin is {{7719}}
security answer is {{Biscuit}}
answer to the security question: {{Kowalski}}
my secret question answer is {{blue pontiac}}
recovery phrase is {{legal winner thank year wave sausage worth useful legal winner thank yellow}}
my password? {{Rosebud1941}}
what's my netflix password again? oh right, {{Popcorn#88}}
The bank login password was {{Spring2023!}}, I changed it to {{Summer2024!}}
changed it from {{oldcat12}} to {{newdog34}}, the email password I mean
password changed to {{kettle-bell-99}}
reset the router password to {{g00seberry}}
i set the nas password to {{volcano77}} yesterday
set my password as {{m00nlight}}
Our hotspot password is {{guacamole}}
guest wifi pass: {{welcome2ourhome}}
wifi key is {{a1b2c3d4e5}}
wpa2 key: {{turbo-pickle-19}}
wifi network Casa_5G, password {{tortuga5575}}
password for the zip: {{xk92}}
the zip password is {{letmein}}
the shared drive password is still {{Quarter3!}}
netflix password is "{{four score and seven}}"
password: "{{two words}}"
the password is '{{p i n e}}'
Password - {{Marigold58}}
password -> {{marigold58}}
password is (all caps) {{TANGERINE5}}
the password, if you need it, is {{harvest_moon}}
the password for the printer in the hallway is {{Pr1ntMe}}
her instagram password is {{Sunny_Daze}}
its password is {{gr4nite}}
dad's email password is {{fishing}}
gmail password is {{f1shing4trout}}, don't tell anyone
I think the password is {{cucumber3}}
pretty sure the password's {{cucumber3}}
the password might be {{Zebra99}} or {{zebra99}}
try {{Zebra99}} for the password
the usual password, {{Otter5512}}
same password as always: {{Otter5512}}
my password is the same everywhere, {{Otter5512}}
password hint: no hint, it's {{Otter5512}}
the door code is {{1379}}, press the bell after
door code {{1379#}}
front door: {{1379}} is the code
{{1379}} opens the front door
{{0451}} gets you into the building
the code to the garage is {{9021}}
garage keypad {{9021}}
keypad for the shed is {{5813}}
enter {{5813}} on the keypad
type {{5813}} into the alarm panel
the safe: {{12-34-56}}
safe combination is {{12 34 56}}
gym locker combo {{11-29-5}}
locker 14, combination {{30-12-22}}
the building entry code changed, now it's {{7762}}
entry code is {{7762*}}
Airbnb door code: {{448120}}
the elevator code is {{3321}}
bathroom code at the cafe: {{2468}}
intercom code {{12B4}}
my verification code is {{604118}}
the otp is {{884120}}
2fa code {{441 902}}
i got the code, it's {{551208}}
the code they texted me: {{551208}}
code is {{7214}}
Your login code: {{90211}}
api key: {{~b32}}
the token is {{~b40}}
my openai key is {{sk-proj-~b40}}
X-Auth-Key: {{~x37}}
X-Vault-Token: {{s.~b24}}
X-Api-Secret: {{~b32}}
oracle+cx_oracle://scott:{{t1ger99}}@db.host:1521/orcl
mysql+pymysql://app:{{Sup3rs3cret}}@10.0.0.5/shop
postgresql+asyncpg://u:{{p4ssw0rdx}}@h/db
mssql+pyodbc://sa:{{Yukon900}}@host/db
amqp://guest:{{rabbit77}}@mq:5672/
pt_key={{AAJl~s60}};pt_pin=jd_abc;
sessionid={{~b32}}
SESSDATA={{~x32}}
Cookie: sid={{~b40}}
1. {{abandon 2. ability 3. able 4. about 5. above 6. absent 7. absorb 8. abstract 9. absurd 10. abuse 11. access 12. accident}}
seed words: {{legal, winner, thank, year, wave, sausage, worth, useful, legal, winner, thank, yellow}}
my seed phrase⏎{{legal winner thank year wave sausage worth useful legal winner thank yellow}}
{{legal winner thank year wave sausage worth useful legal winner thank yellow}}
The password is {{correct horse battery staple}}.
passphrase: {{correct horse battery staple}}
passphrase "{{the quick brown otter}}"
ssh passphrase is {{Kangaroo}}
master password is {{gooseberry fool on sundays}}
1password master password is {{teal-armadillo-parade}}
the truecrypt password is {{Nebuchadnezzar}}
mon mdp c'est {{soleil75}}
das passwort ist {{Sommer2023}}
la contraseña es {{gatito22}}
ok password time: {{rhubarb7}}
remember my password: {{rhubarb7}}
please remember that my steam password is {{gabeN4ever}}
save this: amazon password {{Prime!2020}}
note to self: bank password {{Ledger_88}}
my bank password is {{L3dg3r}} btw
don't lose it again: vpn password {{tunnel-vision}}
vpn: user bob, pass {{tunnelvision9}}
user: bob pass: {{tunnelvision9}}
username bob password {{tunnelvision9}}
u: bob p: pw is {{tunnelvision9}}
wifi: HomeNet / {{bluewhale19}} is the password
the kids' tablet pin is {{2580}}
tablet unlock pin {{2580}}
parental pin {{2580}}
my phone unlocks with {{193746}}
phone unlock code: {{193746}}
screen lock is {{193746}}, the phone's passcode
disarm it with {{4471}}
alarm disarms with {{4471}}
you can disarm the alarm using {{4471}}
the lights on the vault go green with {{90210}}, that's the vault code
gate: press {{#2244}}
our gate code... {{2244}}
the new gate code, as of Monday, is {{2244}}
Code for the lockbox by the back door is {{5453}}
lockbox by the back door, code {{5453}}, key's inside
shed padlock code {{9275}}
the storage unit lock is {{0915}}, code again: {{0915}}
the suitcase lock code is {{305}}
bike lock: {{4-8-1-5}} is the combination
for the record the root password is {{n0tr00t}}
root pw on the pi is {{raspb3rry}}
sudo password: {{s4ndwich}}
db password is {{inventory}}
postgres password is {{elephant}}
grafana admin password still {{gr4fana}}
jenkins login admin/{{butler77}}
login for the NAS is admin and {{Synology5}}
hulu login is mom@example.com / {{Gilmore7}}
email mom@example.com, password {{Gilmore7}}
spotify: mom@example.com, pw {{Gilmore7}}
share the password with grandma, it's {{gardenia}}
the password is {{Gardenia}} with a capital G
password is {{gardenia}}, no caps
my crypto wallet pin is {{908172}}
ledger pin: {{9081}}
trezor passphrase is {{midnight ferry}}
recovery code {{8J2K-91LQ-77XZ}}
backup codes: {{12345678 87654321}}
the secret word is {{artichoke}}, that's the password for pickup
school pickup password is {{artichoke}}
the daycare password is {{dinosaur}}
kid's school pickup passphrase: {{yellow submarine}}
the bank's phone password is {{mahogany}}
verbal password with the alarm company is {{pelican}}
security word for the alarm company: password {{pelican}}
zoom passcode {{778123}}
zoom password is {{Z4hp}}
conference pin {{88213#}}
meeting passcode: {{j7Kq2}}
the wifi is Bluebird and the password is {{bluebird}}
type {{hunter2}} when it asks for a password
the password i use for everything is {{Ginger1}}
everything uses the password {{Ginger1}}
My password is {{Ginger1}} since 2019
my iCloud password: {{Appl3Pie}}
apple id password is {{Appl3Pie!}}, keep it safe
her password is {{ilovemymom}}
her password is {{iloveyou}}
his password is literally {{password1}}
his password is literally {{12345}}
password is {{123456}}
password is six zeros, {{000000}}
password is {{six eights}}
pin is {{double seven four one}}
pin's {{oh seven two three}}
the pin is {{zero four two three}}, her birthday
spell it: the password is {{t-u-l-i-p}}
password is capital {{T u l i p 4 2}}
heads up we rekeyed, new front door is {{8842}}, the old code is dead
you'll need {{gumdrop-falls}} for the wifi, that's the password
netflix: same mail, password {{Gilmore!7}} ok?
mate the pw for the switch is {{Fr0gger}}, capital f
hotspot name is Lena's iPhone and the password is {{dachshund}}
the password you want is {{BlueKettle19}}
password I gave you last week was {{BlueKettle19}}, still works
my mom uses {{Tulips1958}} as her password for literally everything
i use {{marzipan7}} for my email password
grandma's tablet: swipe up, then {{2-5-8-0}}, that's the pin
the pin on the company card is {{3391}} fyi
so the PIN... {{3391}}
ATM pin = {{3391}}
if the alarm goes off type {{7733}} and press disarm
press {{7733}} to disarm the alarm
gate's keypad wants {{1066}} then hash
the lock on the shed takes {{4 1 9}}
the shed's combination is {{four, one, nine}}
spare key is in the lockbox, combo {{0042}}
to unlock the ipad just type {{445566}}
open the safe with {{18-36-9}}
the vault opens with {{18-36-9}}, left first
can you store my vpn passphrase? it's {{violet hippos never lie}}
vpn passphrase => {{violet hippos never lie}}
my github password is {{c0ff33b34n}}, also used for gitlab
root:{{toor99}} is the login for the box
ssh login is pi / {{raspberry1}}
account: teamdemo / password: {{D3moDay}}
username = ops, password = {{w1nterfell}}
the bitlocker recovery key is {{123456-234567-345678-456789-567890-678901-789012-890123}}
secret question is first pet, secret answer is {{Schnitzel}}
security question answer: {{Schnitzel}}
for the bank's security question I always answer {{Schnitzel}}
door's code: {{2 0 9 7}}
passwd {{sn0wflake}}
new passcode, {{909090}}
i reset it, temp password {{Temp-4821}}
temporary password: {{Temp4821!}}
OTP for the delivery guy is {{5521}}
delivery otp {{5521}}
my one time code was {{993 120}}
steam guard code {{R7K2M}}
pw: {{hello there}}
"""

SECRETS_ZH = r"""
密码我又改了，这回是{{Panda2019}}
密码我又改了，这回是 {{lanlan99}}
我们家 wifi password 是 {{mochi2020}}
wifi密码是{{88886666}}
wifi密码：{{qwer1234}}
家里wifi密码{{meimei520}}
密码就是{{woaini1314}}
密码是{{六个八}}
密码{{幺二三四}}
密码是{{幺二三四五六}}
门禁密码{{4471#}}
门禁码是{{2580}}
大门密码改成{{7788}}了
单元门按{{0#2580}}
保险柜密码是{{12-34-56}}
保险箱的密码 {{240836}}
行李箱密码{{305}}
拉杆箱密码锁是{{305}}
手机锁屏密码{{193746}}
我手机解锁密码是{{193746}}
平板的锁屏密码换成{{2580}}了
支付密码是{{240315}}
微信支付密码{{240315}}别告诉别人
支付宝的支付密码还是{{908172}}
银行卡密码{{081127}}
取款密码是{{六六八八九九}}
我妈那张卡的密码是{{196803}}
登录密码换成{{Kx90210z}}了
登录密码我记得是{{Kx90210z}}
账号admin密码{{admin888}}
账号是lili，密码是{{lili_0923}}
用户名root，口令{{toor123}}
口令是{{芝麻开门}}
暗号：{{天王盖地虎}}
接头暗号是{{今晚打老虎}}
幼儿园接孩子的暗号是{{小熊饼干}}
密碼是{{Taipei101}}
我的密碼改成{{formosa88}}了
蜜码是{{abc123}}
密码呢还是老样子，{{Otter5512}}
密码跟以前一样，{{Otter5512}}
密码没变，{{Otter5512}}
密码一直用{{tiger1986}}
所有网站都用同一个密码，{{tiger1986}}
邮箱密码是 {{Fish#2020}} ，记一下
帮我记住，邮箱密码 {{Fish#2020}}
记一下，我的steam密码：{{gaben4ever}}
我的网银密码你记好：{{ledger88}}
密码告诉你吧，{{lantern77}}
密码发你了：{{lantern77}}
密码就用{{lantern77}}吧
密码先设成{{lantern77}}
密码设的{{lantern77}}
密码改回{{lantern77}}了
密码从{{oldcat12}}改成了{{newdog34}}
新密码{{newdog34}}
旧密码是{{oldcat12}}，新的是{{newdog34}}
默认密码{{admin123}}
初始密码是{{Init2024}}
管理员密码{{Admin@2024}}
服务器密码是{{p4ssw0rd}}
数据库密码：{{inventory9}}
root密码{{n0tr00t}}
路由器后台密码 admin，wifi密码{{sunny1234}}
路由器密码为{{g00seberry}}
公司wifi密码是公司名加{{2024abc}}
热点密码{{hotspot66}}
开机密码是{{lc7788}}
电脑开机密码：{{0423}}
锁屏密码{{0423}}
QQ密码{{qq5201314}}
淘宝密码还是{{tb2008}}
游戏账号密码：{{yx998877}}
爱奇艺会员账号13912345678，密码{{iqiyi2020}}
教务系统密码是学号后六位{{201932}}
验证码是{{604118}}
验证码{{884120}}，快点填
刚收到的验证码 {{551208}}
动态口令{{771204}}
取件码{{3-2-1048}}
提取码：{{x7k2}}
助记词：{{legal winner thank year wave sausage worth useful legal winner thank yellow}}
我的助记词是{{的 一 是 在 不 了 有 和 人 这 中 大}}
助记词⏎{{1. legal⏎2. winner⏎3. thank⏎4. year⏎5. wave⏎6. sausage⏎7. worth⏎8. useful⏎9. legal⏎10. winner⏎11. thank⏎12. yellow}}
私钥是{{~x64}}
api key 是 {{~b32}}
token是{{~b40}}
密保答案是{{小白}}
密保问题的答案：{{实验小学}}
安全问题的答案是{{大黄}}
密保是{{外婆家}}
解锁码{{4471}}
报警器撤防密码{{4471}}
撤防码{{4471}}
车库门密码{{9021}}
储物柜密码是{{461}}
健身房储物柜密码{{4948}}
电表箱那把挂锁密码是{{461}}
快递柜开箱码{{880231}}
楼下大门按{{1379#}}就开
进门输{{448120}}
门锁输入{{448120}}再按#
智能锁密码{{448120}}，临时的
密码锁拨到{{305}}
锁的密码是{{三零五}}
保险柜先左转{{24-8-36}}，密码就这个
{{hunter2}}是wifi密码
{{4471}}是门禁密码
{{mochi2020}} 就是我们家的 wifi 密码
把密码设成{{mochi2020}}
我把密码改成 {{mochi2020}} 了哈
我改密码了 现在是{{mochi2020}}
我换了个密码：{{mochi2020}}
密码有点难记 {{xK9mP2qL}}
密码你拿小本本记一下，{{xK9mP2qL}}
密码是“{{两只老虎}}”
密码是「{{abc 123}}」
密码（{{abc12345}}）
密码=={{abc12345}}
密码--{{abc12345}}
密码 -> {{abc12345}}
pin码{{4471}}
PIN是{{4471}}
sim卡pin码是{{1234}}
puk码{{12345678}}
登陆账号 demo 密码 {{Demo6064}}
vpn账号bob，密码{{tunnel99}}
vpn密码是{{tunnel-vision}}
我的password是{{Ginger1}}
passcode 是 {{778123}}
会议密码{{778123}}
腾讯会议密码：{{1024}}
zoom密码{{Z4hp22}}
压缩包密码{{www2023}}
解压密码：{{52pojie}}
文档打开密码是{{doc2024}}
pdf密码 {{pdf-open-9}}
医保卡密码{{000512}}
公积金密码是{{135790}}
社保查询密码 {{sb2468}}
U盾密码{{zxc12300}}
我爸手机密码是{{四个零}}
iPad密码{{1111}}
妈妈微信密码是{{mama1965}}
她的密码是她生日{{0423}}
密码就我生日，{{19900423}}
密码：我名字拼音加123，{{zhangsan123}}
密码改成{{四七二一}}
密码是 {{qwe@123}} 谢谢
wifi名字TP_5G密码{{turbo19}}
账号密码都是{{admin}}
密码是{{admin}}
用户名密码分别是 test 和 {{test#2025}}
家里门锁密码换了，现在{{112358}}
门锁新密码{{112358}}，旧的作废
跟你说下门禁，{{3690#}}
小区大门的密码是{{3690}}，别外传
地库门禁输{{3690}}就行
我家wifi改密码了，改成{{dalao666}}
wifi密码我给你念一下：{{d a l a o 6 6 6}}
密码是小写的{{dalao666}}
密码全小写 {{dalao666}}
把我的密码记一下 {{Dalao_666}}
我网易云密码好像是{{wyy20180808}}
学校教务密码是{{Jw@2021}}，忘了就看这里
交通银行的取款密码{{六个六}}
工资卡密码{{880520}}
保险箱拨{{左18右36左9}}
保险箱密码左边{{18-36-9}}
行李箱的锁是{{007}}
健身房柜子密码{{2233}}，记得拿毛巾
孩子iPad锁屏密码是{{2580}}
我的密保问题是第一只宠物，答案是{{旺财}}
接头暗号“{{宫廷玉液酒}}”
进群口令：{{上山打老虎}}
服务器登录 ubuntu / {{Ub_7788}}
数据库账号 app 密码 {{App_7788}}
密码是拼音 {{woaibeijing}}
zhifu密码{{556677}}
锁屏图案是L，数字密码是{{556677}}
我的 apple id 密码是 {{Pingguo#1}}
ipad passcode 改成 {{102030}} 了
公司 vpn 的 password 是 {{Xinnian2024}}
router 密码 {{admin@home}}
pin 改了，新的 {{7391}}
银行发的验证码{{339 021}}
"""

HONEST_EN = r"""
I forgot my password
I forgot my password again, third time this week
the password is too short
the password is wrong
the password is way too long to remember
change the password every month
you should change your password every 90 days
which password manager do you use?
my password manager is Bitwarden
I keep all my passwords in KeePassXC
the code is on the fridge
the password is on a sticky note under the keyboard
the code is well written
this code is garbage
pin the note to the board
pin this message
the key is to relax
the key is patience
the secret is butter
the secret is to let the dough rest
token limit is 8000
the token count was 4096
zip code is 94107
my zip code is 94107-1234
dress code is smart casual
country code is +44
country code 86
error code 500
I got error code 1045
the error code is 0x80070057
exit code 137
promo code SAVE20
use promo code SUMMER24 for 20% off
the discount code is WELCOME10
source code is on github
the source code has 12000 lines
area code 415
the area code is 212
status code 404
http status code is 503
the passport is in the drawer
passwords are a pain
passwords must be at least 12 characters
a password should be long and unique
a good password is long
the password must contain 8 characters
password is case-sensitive
password is required
password is required for this file
Password must not be empty
The password is expired
the password is the same as before
it's the usual password
the password hasn't changed
the password is being reset
the password was leaked in the Adobe breach
the password is stored as a bcrypt hash
passwords are hashed with argon2id
the password field is broken
the password reset email never came
the password prompt is slow
the password policy is ridiculous
I changed my password and the site is down
I changed my password yesterday
change my password to something stronger
can you help me pick a password?
how do I reset my password?
how long should a password be?
what's the best way to store passwords?
did you change the wifi password?
is the wifi password different upstairs?
who has the wifi password?
ask Tom for the wifi password
Tom knows the alarm code
I'll text you the door code
the door code changed
the door code is in the booking email
the gate code is in the app
the alarm code doesn't work
the combination of garlic and lemon is perfect
a combination of 3 factors
the winning combination was 4-3-3
the safe is in the closet
the safe weighs 120 kg
the locker room is on floor 3
my locker number is 214
the lock cost 45 dollars
the lock is 300 bucks
I opened the door at 1430
the shop opens at 0900
the office opens at 9:30
the store opens with a sale on 2024-05-01
the game opens with a cutscene
the book opens with a murder in 1923
she unlocked level 42
unlock 50 more levels
I hit 10000 steps today
bitcoin hit 64000
put 2000 in the savings account
put 1500 words on the page
enter the building at 8
enter 2024 with a clear plan
type 2 diabetes runs in the family
type 3 queries are slow
press 1 for English
dial 911
dial 112 in an emergency
call 10086
key 4 on my piano is stuck
tap 3 times
GPIO pin 17 is the led
connect pin 13 to ground
pin 4 is VCC
bowling pin number 7
the pin is bent
the enamel pin is 12 dollars
PIN entry is slow at this ATM
my pin doesn't work
I forgot my PIN
the pin must be 4 digits
a PIN has 6 digits
login is broken
login takes 30 seconds
login page returns 502
the login is slow
log in with Google
log in with SSO
sign in with Apple
sign in with GitHub and pick the repo
log in to the server first
log in and check order 48213
logged in at 0815
sign up by 2024-06-01
I can't log in since 3pm
credentials are stored in vault
our credentials expired
the token is expired
the token expires in 3600 seconds
token refresh is every 15 minutes
we used 12000 tokens
tokens are cheap
max_tokens = 4096
the secret ingredient is cinnamon
secret santa is on friday
my secret is that I hate cilantro
secret manager costs 0.40 per secret
keep it secret
the key point is cost
the key is under the mat
key lime pie is great
the house key is with the neighbour
api key rotation is every 90 days
the api key is missing
where do I put the api key?
set the API key in settings
the access code for the exam opens on Monday
code review takes 2 days
code freeze starts 2024-12-20
the code for the parser is 1200 lines
the code has 35 tests
this code runs in 400 ms
morse code is fun
QR code doesn't scan
the color code is #ff8800
the course code is CS101
the airport code is SFO
flight code BA2490
booking code is under my name
building code requires 36 inch doors
the tax code is 1257L
the product code is 55123
the model code is X540
machine code
clean code is a good book
I read Clean Code in 2019
security question time: who is on call?
security questions are dumb
the answer is 42
the answer to question 5 is B
my answer is no
the passing score is 70
pass me the salt
I passed the exam with 92
pass the ball to number 10
the pass rate is 85%
boarding pass is in my email
ski pass was 480 francs
the mountain pass is 2400m
the pass is closed in winter
my bus pass is valid until June
he made a pass at her
the password game is fun
password strength is 4 of 5
password length is 16
minimum password length 12
password attempts: 3
3 failed password attempts
wrong password, try again
incorrect password 5 times
wifi is down again
the wifi is called Bluebird
the wifi name is CasaVerde_5G
our wifi is 300 Mbit
wifi 6 routers are expensive
the router is an RT-AX88U
the router's IP is 192.168.1.1
the alarm is set for 6:45
my alarm goes off at 0615
the phone is 799 dollars
my phone number ends in 42
two-factor auth is on
2FA is annoying
turn on 2fa please
enable 2FA for all 120 users
otp means one time password
the verification code never arrives
didn't get the verification code
verification takes 24 hours
the recovery phrase is in the bank vault
write down your seed phrase
seed round was 2 million
recovery takes 6 weeks
backup runs at 0300
backup took 1200 seconds
the backup code is in the safe
my favourite word is serendipity
the passphrase should be easy to remember
passphrases are better than passwords
a passphrase of six words is plenty
the name of our dog is Biscuit
my mother's name is Anna Kowalski
the room number is 1204
order number 4471 shipped
invoice 2024-118 is due
we meet at gate 24
gate B12, boarding at 1040
the garage charges 25 a day
the safe word concept is important
the house number is 221
the unit is 4B
I live in apartment 12
speed dial 2
the combination therapy worked
open port 8080
open issue 4521
opens in 2026
unlock the phone with your face
my phone unlocks with my fingerprint
the laptop unlocks with touch id
the door opens with a key
the garage opens with the remote
lets you in with a ticket
get in touch with me at 5
I get into work at 8
we got into the final with 21 points
the password thing is a mess
the password I got by mail is invalid
Bob's password is terrible
my password is terrible
my password is really weak
my password was hacked
the password is not working
the password isn't accepted
the password is probably cached
the password is fine
the password is visible in the logs!
the password is part of the onboarding doc
the password is Bob's problem now
the password is something about cats
the password is a random string
the password is generated on first boot
the password is up to you
the password is longer than 12 characters
the password is in 1Password
the password is in the wiki
the password is known to everyone
the new password is much better
passcode lock is enabled
passcode is required after restart
I set a passcode on my phone
the passcode screen is black
the keypad is broken
keypad battery costs 12 dollars
combination lock recommendations?
swordfish is on the menu
let's grill swordfish tonight
hunter2 is an old meme
my username is bob_77
my user name is kate
login name is kate
my account was charged 49.99
account 4471 is overdue
the credentials page 404s
the pw reset is broken
can't remember the pw
the pwd command prints the directory
pwd shows /home/bob
run pwd first
I need to pick a new password tonight
my password expired so I was locked out for 2 hours
our password policy says 14 characters and one symbol
the wifi password is printed on the receipt
the wifi password is whatever it says on the router
password rotation happens every quarter
the password for the staging box was rotated on Monday
the password was rotated last week
your password is about to expire
password is never shown in plain text
the password is hashed on the client
The password is correct but the user is locked
my password is complicated
her password is probably on the sticky note
the password is what you set up last year
the passphrase is longer than the message
a passphrase is easier than a password
whose password is this?
the passcode is disabled
this code is unreadable
the code is finished, tests pass
code coverage is 87.5 now
that code is from 2019
the code takes 1200 ms
code 3 means no paper
building 4471 is next to the park
the code of conduct is 3 pages
my morse code is rusty
what is the code for Paris airport?
the door is 2100 mm high
the door costs 1200
the gate is 24 and boarding is 1815
the garage is 6 by 4 meters
the alarm rang at 0630
set an alarm for 0630
alarm at 6:15
the safe limit is 4000
it is safe to say 2025 was hard
locked until 2027
the lock screen shows 3 notifications
locker 214 is mine
the lockdown of 2020 was long
bike costs 1450 new
I unlocked 1200 points
open until 2200
we open at 1000 on sundays
opens in room 1204
the shop opens with coffee at 8
the letter opens with a joke
he let me in at 2130
get in at 1845, out at 2000
press 4 twice
type 1500 characters
type 42 chars
enter 3 numbers
she entered in 2018
the entry fee is 2500
dial 0800 for the operator
punch 12 holes in it
I pressed 4000 bottles of juice
pin it on the wall
pinned 3 messages
pins and needles
PIN pads are dirty
a pin costs 50 cents
the card reader wants a pin
the answer to your question is no
the security question was about my first pet
security is a question of budget
login with your work email please
log in as admin and open settings
log in as root and reboot
sign in as guest
logged in as bob
login: bob
the login is your email address
logins are up 1200 this week
sign in takes 2 minutes
credentials are in 1Password
creds are in vault
the account has 2500 followers
seed the database with 50 rows
seed phrase storage is a hard problem
the recovery phrase has 12 words
recovery time was 1500 seconds
secret level 42
the secret is out
the token is worth 3 dollars
the key to success is practice
use the key on the left
we used 1200 sheets
use 250 grams of flour
using 4096 bytes
i used 2000 words to open the essay
combination skin is annoying
the combination of 4 and 7
combo meal 3 is 12 dollars
the combo costs 1299
a two step verification is on
verification code emails land in spam
otp codes expire after 30 seconds
2fa via sms is weak
2fa for 1200 employees
pass the exam with 85 points
he passed in 1987
pass 2 of 3 failed
season pass is 480
the pass was intercepted in minute 87
my train pass is 1200 a year
"""

HONEST_ZH = r"""
密码忘了
我密码又忘了
密码太长了记不住
密码太短
验证码收不到
验证码一直不来
密码错误
密码不对
密码输错三次锁了
密码每三个月要换一次
密码至少8位
密码要求12位以上
密码必须包含大小写字母和数字
密码强度不够
密码管理器推荐一个
用1Password管理密码
密码放在保险柜里
密码写在便签上
密码贴在冰箱上
密码在群公告里
密码问小王
密码找老李要
密码我发你微信
密码一会儿告诉你
密码我不知道
密码是什么
密码是多少
密码还是老样子
密码跟以前一样
密码没变
密码改了吗
密码改了，登不上去
密码已经重置
密码过期了
密码泄露了怎么办
密码学很难
密码学考了92分
密码本丢了
财富密码就是坚持
流量密码是猫
密码是随机生成的
密码是系统发的
密码是我生日
密码是他名字拼音
密码是加密存的
密码用bcrypt加密
密码用SHA256哈希
密码存在数据库里
密码框不显示
密码输入框太小
密码提示没了
密码找回要3天
密码重置邮件没收到
密码锁坏了2024年修的
密码锁380块
密码锁多少钱
智能锁电量还有30
门锁换了花了1200
门禁卡丢了
门禁坏了
门禁系统2023年装的
保险柜在卧室
保险柜120公斤
保险箱买了3000块
保险单号是2024118
行李箱24寸
行李箱买了399
手机锁屏了
锁屏壁纸换了
手机号码换了
手机花了5999
平板卖了2000
支付密码忘了
支付成功，共128元
银行卡密码要6位
银行卡丢了
登录不上去
登录要等30秒
登录页面报错502
登录失败5次
账号被封了
账号注册于2015年
账号名叫lili
用户名是bob_77
我的账号是kate
口令红包发一个
口令太复杂
暗号是什么
对暗号
口号是为人民服务
助记词要写在纸上
助记词不要截图
私钥不要泄露
私钥放在硬件钱包里
token用完了
token上限8000
token过期时间3600秒
令牌桶算法
api key在哪里申请
api key过期了
密钥长度2048位
密钥轮换周期90天
安全问题很重要
安全问题要重视
密保问题忘了
邮政编码100080
邮编是200040
错误码500
错误代码1045
返回码是0
状态码404
优惠码SAVE20
优惠码是SUMMER24
邀请码是什么
源码在github
代码写得不错
代码有1200行
代码review要2天
二维码扫不出来
条形码6901234567892
号码牌是42
车牌号码
页码120
解码器
编码是utf-8
乱码了
国家码是86
区号010
拨打12345投诉
拨打110
按1转人工
按3下
按照2024年计划
按2000算
输了3比1
输入法换成搜狗了
输入1000条数据
输入长度128
输出1024维
填了2000字
填表要3份
敲了1200行代码
开门见山
开门时间0900
大门口见
大门在2号楼
门牌号12
门票120元
单元测试覆盖85
单元格A12
车库在B2
车库月租500
电梯坏了在12楼
电梯限重1000公斤
解锁新技能
解锁了42关
解锁成就100个
撤防时间22点
报警器响了
报警电话110
快递柜在3号楼
柜子1200块
柜台排队30分钟
锁车了
锁了3天
取款2000
取件要排队
开机要30秒
开机很慢
动态规划
动态发了3条
激活码在邮件里
激活要24小时
验证要等2天
验证码识别率95
短信一天100条
热点新闻
热点地图
路由器是RT-AX88U
路由器地址192.168.1.1
wifi断了
wifi名字是CasaVerde
wifi信号不好
家里wifi是300M的
会议室在1204
会议9点
解压软件用7-Zip
压缩包2.3G
文档有42页
学号是多少
工号忘了
答案是B
答案选C
这题答案是42
生日是4月23
我生日0423
我妈是1965年的
小名叫小白
小学在实验小学
我家狗叫大黄
我名字拼音是zhangsan
hunter2是个老梗
密码这东西真烦
密码安全很重要
密码太简单会被破解
密码别用生日
密码不要太简单
密码要记牢
密码最好加符号
密码设置完成
密码修改成功
密码由管理员分配
密码默认为空
密码：必填
密码：至少八位
密码区分大小写
一次性密码是什么意思
双重验证开了
指纹解锁更快
人脸识别登录
用微信登录
用Google登录就行
扫码登录
密码多长合适
密码建议12位
密码一年没换了
密码得改改了
密码被盗了
密码被人改了
密码没设
密码随便设一个
密码我存在手机里
密码都记在本子上
密码不是这个
密码好像不对
密码应该没错
密码错了3次
密码输了5遍
密码改成复杂点的
密码改成12位的
密码换成指纹了
密码换成人脸识别
密码叫什么来着
密码是必填项
密码是6位数字
密码是四位的
密码是统一的
密码是公开的
密码为空
密码设为空
密码为什么不对
密码重置了2次
密码找回失败
密码登录不好用
密码登录改成扫码了
密码输完按回车
输密码手抖
门禁8点关
门禁卡补办20块
门禁系统升级到3.0了
门锁没电了
门锁装在2楼
锁屏时间30秒
锁屏是我家猫
保险柜在3楼
保险箱有两个
柜子在12楼
柜子是2米的
快递柜满了
快递放3号柜
行李箱是28寸的
行李箱超重2公斤
车库限高2米
车库在负2层
电梯停在18楼
大门6点开
单元楼有18层
解锁要99元
解锁第3章
开机花了45秒
登录送100积分
登录人数2000
登录名是小写的
账号是手机号
账号等级60
账号粉丝1200
口令牌没电
口令是啥意思
暗号忘了
暗号不对
口令输错了
验证码过期了
验证码60秒有效
验证码是图片
验证码看不清
代码是张三写的
代码跑了3000秒
代码量2万行
编码问题
号码是空号
按1000块算
按2倍算
按时交了
输2局了
输了2000
填2024年的表
填了3张表
拨款3000万
敲门三下
用2000块买的
用3天开发完
安全问题不能忽视
安全码头
提取码是什么
取件码忘了
pin码忘了
pin码要4位
token不够用了
key是什么
wifi 密码贴墙上了
wifi 密码问前台
password 忘了
password 太长了
我的 passcode 是 6 位的
"""
