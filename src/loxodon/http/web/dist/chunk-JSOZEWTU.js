var e=document.createElement("span");e.hidden=!0;function o(t){return e.isConnected||document.body.append(e),e.style.color=`var(${t})`,getComputedStyle(e).color}export{o as a};
