try{let e=localStorage.getItem("loxodon.theme");e&&(document.documentElement.dataset.theme=e)}catch{}
